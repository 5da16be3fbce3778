"""make.py FOLDER: the documentation as a site of static pages in FOLDER, which need no network: README, guides, the
reference of public headers, examples, decisions, internals and the README of each folder. Every tracked document is a
page at its own path, and so is every file that a document links to."""

import html
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tomllib

import markdown
import reference

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "papers"))
import page as report  # noqa: E402, the report of ./dev papers

INTERFACES = {"compat/armci/include/armci.h": "armci.h", "compat/armci/include/message.h": "message.h",
              "compat/armci/include/armcix.h": "armcix.h", "compat/armci/include/mp3.h": "mp3.h"}
GUIDES = ["first-program", "memory", "semantics", "completion", "teams", "remote-calls", "containers", "views", "algorithms",
          "tasks", "modules", "distributed-arrays", "arrays-from-mpi", "arrays-from-global-arrays",
          "arrays-in-fortran", "object-arrays", "virtual-ranks", "private-globals", "threads", "launching",
          "prediction", "races", "tracing", "layers", "armci", "openshmem", "coarrays"]


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name]


def slug(text, _separator="-"):
    """The anchor of a heading, as readers of the repository's Markdown have it."""
    kept = re.sub(r"[^\w\- ]", "", re.sub(r"<[^>]+>", "", text).lower())
    return kept.replace(" ", "-")


def url_of(name):
    """The page of a file of the repository."""
    if name == "README.md":
        return "index.html"
    return name.removesuffix(".md") + ".html"


def printed(name, runs):
    """The output of an example, as a cell of the index has it."""
    return "".join(f"<pre>$ {html.escape(one['command'])}\n{html.escape(one['output'])}</pre>"
                   for one in runs if one["source"] == name)


def first_comment(text):
    """What a program says of itself in its first lines, in C, C++ or Fortran."""
    block = re.match(r"/\*(.*?)\*/", text, re.S)
    if block:
        return re.sub(r"^ \* ?", "", block[1], flags=re.M).strip()
    return re.sub(r"^(//|!) ?", "", re.match(r"(?:(?://|!).*\n)*", text)[0], flags=re.M).strip()


class Site:
    def __init__(self, output):
        self.output = output
        self.files = tracked()
        self.known = set(self.files)
        self.wanted = []   # sources that documents link to
        self.index = []    # of the search
        self.page = (HERE / "page.html").read_text()
        self.titles = {}
        self.navigation = []

    # -- links

    def target_of(self, name, link):
        """The page that a link in that document leads to."""
        path, mark, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or not path:
            return link
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        if target not in self.known:
            target = next((one for one in (f"{target}/README.md",) if one in self.known), None)
            if target is None:
                return self.folder_page(posixpath.normpath(posixpath.join(posixpath.dirname(name), path)), name)
        if not target.endswith(".md") and target not in self.wanted:
            self.wanted.append(target)
        return self.relative(name, url_of(target)) + mark + anchor

    def folder_page(self, folder, name):
        if folder == "examples":
            return self.relative(name, "examples/index.html")
        inside = [one for one in self.files if one.startswith(folder + "/")]
        if not inside:
            sys.exit(f"{name}: the link to {folder} leads nowhere")
        return self.relative(name, "contents.html") + "#" + slug(folder)

    def picture(self, name, link):
        """A picture of that document, which lies in the site where it lies in the repository."""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
        if path not in self.known:
            sys.exit(f"{name}: there is no picture {link}")
        (self.output / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, self.output / path)
        return self.relative(name, path)

    @staticmethod
    def relative(name, url):
        return posixpath.relpath(url, posixpath.dirname(url_of(name)) or ".")

    # -- pages

    def write(self, url, title, content):
        up = "../" * url.count("/")
        navigation = "".join(
            f"<h2>{group}</h2><ul>" + "".join(
                f'<li><a href="{up}{to}"{" class=here" if to == url else ""}>{html.escape(name)}</a></li>'
                for name, to in entries) + "</ul>\n" for group, entries in self.navigation)
        path = self.output / url
        path.parent.mkdir(parents=True, exist_ok=True)
        text = self.page
        for mark, value in (("@TITLE@", html.escape(title)), ("@UP@", up), ("@NAVIGATION@", navigation),
                            ("@CONTENT@", content)):
            text = text.replace(mark, value)
        path.write_text(text)

    def note(self, page, title, url, content):
        text = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", content))).strip()
        self.index.append({"page": page, "title": title, "url": url, "text": text[:1500]})

    def note_sections(self, page, url, content):
        """An entry of the search for each section."""
        parts = re.split(r'<h([1-4]) id="([^"]*)">(.*?)</h\1>', content)
        for _, anchor, heading, text in zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4]):
            self.note(page, html.unescape(re.sub(r"<[^>]+>", "", heading)), f"{url}#{anchor}", text)

    def markdown_page(self, name):
        # Comments say which example a piece of code is from: no reader needs them.
        text = re.sub(r"^<!--.*?-->\n", "", (ROOT / name).read_text(), flags=re.M)
        # A list may follow a line of text, and a literal block one of a list.
        text = re.sub(r"(\n(?![*\-|] |\d+\. |\s|#).+)\n([*\-] )", r"\1\n\n\2", text)
        content = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"],
                                    extension_configs={"toc": {"slugify": slug}}, tab_length=2)
        content = re.sub(r'(<a [^>]*href=")([^"]+)"', lambda found: f'{found[1]}{self.target_of(name, found[2])}"', content)
        content = re.sub(r'(<img [^>]*src=")([^"]+)"', lambda found: f'{found[1]}{self.picture(name, found[2])}"', content)
        url = url_of(name)
        self.note_sections(self.titles[name], url, content)
        self.write(url, self.titles[name], content)

    def source_page(self, name, above=""):
        url = url_of(name)
        listing = html.escape((ROOT / name).read_text(errors="replace"), quote=False)
        content = f'<h1 id="{slug(name)}">{html.escape(name)}</h1>\n{above}<pre><code>{listing}</code></pre>\n'
        self.write(url, name, content)

    def title_of(self, name):
        text = (ROOT / name).read_text()
        found = re.search(r"^# (.+)$", text, re.M)
        return found[1].replace("`", "") if found else name

    # -- the parts of the site

    def headers(self):
        return [name for name in self.files
                if re.match(r"include/armature/(?!.*detail/).*\.(hpp|h)$", name)]

    def examples(self):
        names = [name for name in self.files if re.match(r"examples/[^/]+(/[^/]+)?\.(cpp|c|f90)$", name)]
        runs = list(tomllib.loads((ROOT / "docs/site/examples.toml").read_text()).values())
        rows = ""
        for name in names:
            comment = first_comment((ROOT / name).read_text())
            first = re.split(r"(?<=[.]) |\n\n", comment, maxsplit=1)[0]
            rows += (f'<tr><td><a href="{posixpath.relpath(url_of(name), "examples")}">{name[9:]}</a></td>'
                     f"<td>{html.escape(re.sub(chr(10), ' ', first))}{printed(name, runs)}</td></tr>\n")
            run = f"<h2>A run</h2>\n{printed(name, runs)}\n" if printed(name, runs) else ""
            self.source_page(name, "".join(f"<p>{html.escape(part)}</p>\n" for part in comment.split("\n\n") if part) + run)
            self.note("Examples", name, url_of(name), comment)
        self.write("examples/index.html", "Examples",
                   f'<h1 id="examples">Examples</h1>\n<table><tr><th>File</th><th>Subject, and what it prints</th></tr>\n{rows}</table>\n')

    def reference(self):
        headers = self.headers()
        pages = reference.reference(ROOT, headers + list(INTERFACES))
        rows = ""
        for header, declared in pages.items():
            said = INTERFACES.get(header) or header.removeprefix("include/")
            comment = reference.opening_comment((ROOT / header).read_text())
            url = f"reference/{said}.html"
            intro = "".join(f"<p>{html.escape(part)}</p>\n" for part in comment.split("\n\n") if part)
            self.write(url, said, f'<h1 id="{slug(said)}"><code>&lt;{said}&gt;</code></h1>\n{intro}{declared}')
            self.note("Reference", f"<{said}>", url, comment)
            for anchor, code, text in re.findall(r'<dt id="([^"]+)"><code>(.*?)</code></dt><dd>(.*?)(?=<dl>|</dd>)',
                                                 declared, re.S):
                self.note(f"<{said}>", re.sub(r"-\d+$", "", anchor).replace("-", "::"), f"{url}#{anchor}", f"{code} {text}")
            first = html.escape(re.split(r"(?<=[.:]) |\n\n", comment, maxsplit=1)[0].replace("\n", " "))
            rows += f'<tr><td><a href="{said}.html">{said}</a></td><td>{first}</td></tr>\n'
        self.write("reference/index.html", "Reference",
                   '<h1 id="reference">Reference</h1>\n<p>The public headers, in C++ and, last, the C interface of '
                   'ARMCI. OpenSHMEM and coarrays are described by their standards; the guides have what is '
                   f"Armature's own.</p>\n<table><tr><th>Header</th><th>Subject</th></tr>\n{rows}</table>\n")

    def papers(self):
        """The last report of the papers' figures, with its plots."""
        text = report.content(json.loads((ROOT / "docs/papers.json").read_text()))
        self.note_sections("The papers, reproduced", "papers/report.html", text)
        self.write("papers/report.html", "The papers, reproduced", text)

    def contents(self, documents):
        folders = {}
        for name in documents:
            folders.setdefault(posixpath.dirname(name) or "Armature", []).append(name)
        all_folders = sorted({str(parent) for name in self.files for parent in pathlib.PurePosixPath(name).parents
                              if str(parent) != "."} | set(folders))
        text = '<h1 id="contents">All documents, by folder</h1>\n'
        for folder in all_folders:
            entries = "".join(f'<li><a href="{url_of(name)}">{html.escape(self.titles[name])}</a></li>'
                              for name in folders.get(folder, []))
            text += f'<h3 id="{slug(folder)}">{html.escape(folder)}</h3>\n' + (f"<ul>{entries}</ul>\n" if entries else "")
        self.write("contents.html", "All documents", text)

    def make(self):
        documents = [name for name in self.files if name.endswith(".md")]
        self.titles = {name: self.title_of(name) for name in documents}
        guides = [f"docs/guide/{name}.md" for name in GUIDES]
        missing = {name for name in documents if name.startswith("docs/guide/")} ^ set(guides)
        if missing:
            sys.exit(f"docs/site/make.py: GUIDES and docs/guide differ: {', '.join(sorted(missing))}")
        self.navigation = [
            ("Armature", [("A tour", "index.html"), ("Changes", "CHANGELOG.html")]),
            ("Guides", [(self.titles[name], url_of(name)) for name in guides]),
            ("Reference", [("Public headers", "reference/index.html"), ("Examples", "examples/index.html"),
                           ("Glossary", "docs/internals/glossary.html"), ("Figures", "docs/figures.html"),
                           ("The papers, reproduced", "papers/report.html")]),
            ("Inside", [("Architecture", "docs/ARCHITECTURE.html"), ("Contributing", "CONTRIBUTING.html"),
                        ("All documents", "contents.html")])]
        for name in documents:
            self.markdown_page(name)
        self.examples()
        self.reference()
        self.papers()
        self.contents(documents)
        made = {one for one in self.wanted if (self.output / url_of(one)).exists()}
        for name in self.wanted:
            if name not in made:
                self.source_page(name)
        (self.output / "site").mkdir(exist_ok=True)
        for file in ("style.css", "search.js"):
            shutil.copy(HERE / file, self.output / "site" / file)
        (self.output / "site/search-index.js").write_text("const searchIndex = " + json.dumps(self.index) + ";\n")
        print(f"{len(list(self.output.rglob('*.html')))} pages, {len(self.index)} entries of the search")


def main():
    output = pathlib.Path(sys.argv[1]).resolve()
    if output.is_dir() and any(output.iterdir()) and not (output / "site/search-index.js").exists():
        sys.exit(f"docs: {output} is not empty, and no site: name another folder")
    output.mkdir(parents=True, exist_ok=True)
    Site(output).make()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
