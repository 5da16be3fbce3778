"""browser.py SOURCE: the site in a browser without a window. Chromium opens pages from the disk, as readers do: the
search finds and leads to pages, every link of some pages leads to a page that shows its section, and nothing is wider
than a narrow screen, but what scrolls by itself."""

import contextlib
import html
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PAGES = ["index.html", "contents.html", "docs/guide/first-program.html", "docs/guide/launching.html",
         "reference/armature/put.hpp.html", "examples/index.html", "docs/internals/glossary.html"]
NARROW = 360  # pixels, of a telephone

# A page that shows others in a frame, and says what it has seen. Chromium lets pages of the disk look into each other
# only where it is told so.
PROBE = """<!DOCTYPE html><meta charset="utf-8"><body><pre id="said">nothing</pre><script>
const said = {wide: [], found: {}, links: 0, lost: []};
const show = (url, width) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.style.cssText = "border:0;height:800px;width:" + width + "px";
  frame.onload = () => done(frame);
  frame.src = url;
  document.body.append(frame);
});
async function narrow(url) {
  const frame = await show(url, @NARROW@), page = frame.contentDocument;
  if (page.documentElement.scrollWidth > @NARROW@) said.wide.push(url + ": " + page.documentElement.scrollWidth);
  const menu = page.querySelector("label.menu");
  if (getComputedStyle(menu).display === "none") said.wide.push(url + ": no button for the contents");
  if (page.querySelector("nav").getBoundingClientRect().height > 0) said.wide.push(url + ": the contents are open");
  menu.click();
  if (page.querySelector("nav").getBoundingClientRect().height === 0) said.wide.push(url + ": the contents stay shut");
  frame.remove();
}
async function search(url, text) {
  const frame = await show(url, 1000), page = frame.contentDocument, field = page.getElementById("site-search");
  field.value = text;
  field.dispatchEvent(new Event("input"));
  const first = page.querySelector("#found a");
  said.found[text] = first ? first.textContent : page.getElementById("found").textContent;
  if (first) await follow(first.href);
  frame.remove();
}
const followed = new Set();
async function follow(url) {
  if (followed.has(url)) return;
  followed.add(url);
  const frame = await show(url, 1000), page = frame.contentDocument, hash = decodeURIComponent(new URL(url).hash.slice(1));
  ++said.links;
  if (!page || !page.querySelector("main h1")) said.lost.push(url);
  else if (hash && !page.getElementById(hash)) said.lost.push(url);
  frame.remove();
}
async function links(url) {
  const frame = await show(url, 1000);
  const all = [...frame.contentDocument.querySelectorAll("main a[href]")].map((link) => link.href);
  frame.remove();
  for (const link of all) if (link.startsWith("file:") && /[.]html(#|$)/.test(link)) await follow(link);
}
(async () => {
  try {
    for (const url of @PAGES@) await narrow(url);
    for (const text of ["trace_phase", "when it hangs", "zzqx"]) await search("index.html", text);
    await search("reference/armature/put.hpp.html", "trace_phase");
    for (const url of ["index.html", "docs/guide/first-program.html", "examples/index.html"]) await links(url);
    said.ended = true;
  } catch (error) { said.error = String(error); }
  document.getElementById("said").textContent = "said" + JSON.stringify(said);
})();
</script>"""


def look(browser, site, home):
    probe = site / "probe.html"
    probe.write_text(PROBE.replace("@NARROW@", str(NARROW)).replace("@PAGES@", json.dumps(PAGES)))
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files",
             "--no-first-run", f"--user-data-dir={home}/browser", "--window-size=1200,900", "--virtual-time-budget=600000",
             "--timeout=90000", "--dump-dom", probe.as_uri()]
    started = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env={**os.environ, "HOME": home})
    try:
        output, errors = started.communicate(timeout=120)
    finally:
        # The browser's other processes have its group: none outlives the test.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
    said = re.search(r'<pre id="said">said(.*?)</pre>', output, re.S)
    if not said:
        sys.exit(f"FAILED: the browser said nothing, status {started.returncode}: {output[-500:]} {errors[-1500:]}")
    return json.loads(html.unescape(said[1]))


def problems_of(said):
    problems = said["wide"] + [f"{url} leads nowhere" for url in said["lost"]]
    if "error" in said or not said.get("ended"):
        problems.append(f"the browser did not come to the end: {said.get('error')}")
    expected = {"trace_phase": "trace_phase", "when it hangs": "When it hangs",
                "zzqx": "Nothing has these words."}
    if said["found"] != expected:
        problems.append(f"the search found {said['found']}, not {expected}")
    if said["links"] < 50:
        problems.append(f"only {said['links']} links were followed")
    return problems


def main():
    browser = shutil.which("chromium")
    if browser is None:
        print("SKIPPED: no Chromium here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as home:
        site = pathlib.Path(home, "site").resolve()
        subprocess.run(["/usr/bin/python3", "-B", SOURCE / "docs/site/make.py", site], check=True,
                       stdout=subprocess.DEVNULL, timeout=100)
        said = look(browser, site, home)
    print(f"{said['links']} links were followed, {len(PAGES)} pages were shown on {NARROW} pixels")
    if problems := problems_of(said):
        sys.exit("\n".join([*problems[:40], f"FAILED: {len(problems)} problems"]))


if __name__ == "__main__":
    main()
