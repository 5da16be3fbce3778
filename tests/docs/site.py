"""site.py SOURCE: makes the site, and looks for links that lead nowhere, pages that need a network, and what must be
there: each public header with what it declares, each guide, and words that the search must find."""

import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

SOURCE = pathlib.Path(sys.argv[1]).resolve()
# Elements that a browser fetches when it shows the page, and their attribute.
FETCHED = {"script": "src", "img": "src", "link": "href", "iframe": "src"}


class Page(html.parser.HTMLParser):
    """Links, fetched files and anchors of a page, and whether its elements are closed."""

    VOID = {"meta", "link", "input", "br", "hr", "img", "col", "wbr"}

    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.anchors, self.open, self.problems = [], [], [], [], []
        self.title = ""
        self.feed(path.read_text())
        self.problems += [f"<{tag}> is not closed" for tag in self.open if tag not in ("p", "li", "td", "tr")]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.anchors.append(attributes["id"])
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag in FETCHED and FETCHED[tag] in attributes:
            self.fetched.append(attributes[FETCHED[tag]])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in ("p", "li", "td", "tr"):
            self.open.pop()
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.problems.append(f"</{tag}> closes nothing")


def check_links(site, pages):
    problems = []
    for path, page in pages.items():
        name = path.relative_to(site)
        problems += [f"{name}: {problem}" for problem in page.problems]
        doubled = {anchor for anchor in page.anchors if page.anchors.count(anchor) > 1}
        problems += [f"{name}: the anchor {anchor} is there twice" for anchor in sorted(doubled)]
        for link in page.links + page.fetched:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.fetched:
                    problems.append(f"{name}: {link} needs a network")
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                problems.append(f"{name}: {link} leads nowhere")
            elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors:
                problems.append(f"{name}: {link}: there is no such section")
    return problems


def check_examples(site):
    """The index of examples has what they print."""
    text = (site / "examples/index.html").read_text()
    return [f"examples/index.html: no run of {name}" for name, said in
            (("shmem_ring", "a number went round 2 PEs"), ("word_count", "46 words, 21 different")) if said not in text]


def check_contents(site, pages):
    problems = []

    def must_have(url, *texts):
        path = site / url
        if path not in pages:
            problems.append(f"there is no {url}")
            return
        text = path.read_text()
        problems.extend(f"{url} does not have {one}" for one in texts if one not in text)

    for header in (SOURCE / "include/armature").rglob("*.hpp"):
        if "detail" not in header.parts:
            must_have(f"reference/{header.relative_to(SOURCE / 'include')}.html")
    must_have("reference/armature/put.hpp.html", "void put(", "global_ptr&lt;T&gt;")
    must_have("reference/armature/trace.hpp.html", "class trace_phase", "void trace_counter(std::string_view name, double value)",
              "What is no finite number is left out")
    must_have("reference/armci.h.html", "ARMCI_Put")
    must_have("examples/index.html", "heat.cpp", "caf_heat.f90")
    must_have("examples/ring.cpp.html", "fetch_add")
    must_have("index.html", "armature::run", "docs/guide/first-program.html")
    must_have("docs/internals/glossary.html", "<h1")
    for guide in (SOURCE / "docs/guide").glob("*.md"):
        must_have("contents.html", f'"docs/guide/{guide.stem}.html"')
    # Tables and pieces of code must not have stayed as they are written.
    for path, _ in pages.items():
        text = re.sub(r"<pre>.*?</pre>", "", path.read_text(), flags=re.S)
        if path.name != "contents.html" and re.search(r"^(\| ?---|```)", text, re.M):
            problems.append(f"{path.relative_to(site)}: a table or a piece of code was not recognised")
    return problems


def check_search(site, pages):
    text = (site / "site/search-index.js").read_text()
    index = json.loads(text.removeprefix("const searchIndex = ").removesuffix(";\n"))
    problems = []
    for title, url in (("trace_phase", "reference/armature/trace.hpp.html#trace_phase"),
                       ("When it hangs", "docs/guide/launching.html#when-it-hangs")):
        if not any(entry["title"] == title and entry["url"] == url for entry in index):
            problems.append(f"the search has no {title}: {url}")
    for entry in index:
        url, _, anchor = entry["url"].partition("#")
        page = pages.get(site / url)
        if page is None or (anchor and anchor not in page.anchors):
            problems.append(f"the search leads to {entry['url']}, which is not there")
    return problems


def main():
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder).resolve()
        done = subprocess.run(["/usr/bin/python3", "-B", SOURCE / "docs/site/make.py", site], capture_output=True,
                              text=True, timeout=100)
        if done.returncode != 0:
            sys.exit(f"FAILED, status {done.returncode}: {done.stdout}{done.stderr}")
        pages = {path: Page(path) for path in site.rglob("*.html")}
        problems = check_links(site, pages) + check_contents(site, pages) + check_search(site, pages) + check_examples(site)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "letter").touch()
        refused = subprocess.run(["/usr/bin/python3", "-B", SOURCE / "docs/site/make.py", folder], capture_output=True,
                                 text=True, timeout=100)
        if refused.returncode == 0 or "is not empty, and no site" not in refused.stderr:
            problems.append(f"a folder with something else was taken: {refused.stderr}")
    print(done.stdout.strip())
    if problems:
        sys.exit("\n".join([*problems[:40], f"FAILED: {len(problems)} problems"]))


if __name__ == "__main__":
    main()
