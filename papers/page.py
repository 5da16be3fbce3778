"""The report of a run: as a page, and in words as a document."""

import html

import figures
import plot

STYLE = """body { font: 16px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; color: #222 }
h2 { margin-top: 3rem; border-bottom: 2px solid #2060b0; padding-bottom: .2rem } h3 { margin-top: 2.2rem }
table { border-collapse: collapse; margin: .6rem 0 } th { background: #f0f3f7 }
td, th { border: 1px solid #ccd; padding: .2rem .6rem; text-align: left; vertical-align: top }
pre { background: #f4f4f4; padding: .5rem; overflow-x: auto; font-size: 85% } a { color: #2060b0 }"""
# Of the report by itself and of the site's page, on light and dark.
MARKS = """.held, .not-held, .not-measured { border-radius: .6rem; padding: .05rem .5rem; font-weight: bold; font-size: 90%; white-space: nowrap }
.held { color: #0d5a22; background: #d8f0de } .not-held { color: #8f1a0c; background: #fbdfda }
.not-measured { color: #555; background: #e8e8e8 } .reason { opacity: .75 } .number { text-align: right; white-space: nowrap }
.plot svg { max-width: 46rem; width: 100%; height: auto } .beside { display: flex; flex-wrap: wrap; gap: 0 2rem; align-items: flex-start }"""
PAPERS = {"armi-rmi-2003": "ARMI: an adaptive, platform independent communication library (2003)",
          "armci-rma-2006": "High performance remote memory access communication: the ARMCI approach (2006)",
          "armci-on-charm-2006": "Multi-paradigm multi-threaded ARMCI on Charm++ (2006)",
          "armci-smp-clusters-2000": "Shared memory and remote memory copy for clusters of SMP nodes (2000)",
          "armci-1999": "ARMCI: a portable remote memory copy library (1999)"}


SIGNS = {"<=": "≤", ">=": "≥", "<": "<"}


def number(value):
    """Four digits at most, and no more zeros than needed."""
    if value == 0 or value != value or abs(value) == float("inf"):
        return f"{value:g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def verdict_of(figure):
    """One word for a figure: held where all its claims are."""
    if figure["status"] != "measured":
        return "not measured"
    return "held" if all(one["held"] for one in figure["verdicts"]) else "not held"


def marked(verdict):
    return f'<span class="{verdict.replace(" ", "-")}">{verdict}</span>'


def word_of(one):
    return "held" if one["held"] else "not held"


def said_of(one):
    """The same, and whether the border lies within the spread."""
    return word_of(one) + (", within the spread" if one.get("close") else "")


def sentence(text):
    """With a capital at its beginning, and one full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def why_of(one):
    """Why a claim does not hold today, where that is known, and whether the border lies within the spread."""
    why = "" if one["held"] else sentence(one.get("why", ""))
    if not one.get("close"):
        return why
    return (f"Within the spread: the middle of the ratios lies between {one['low']:.3f} and {one['high']:.3f}, and "
            f"the border is {1 + figures.MARGIN:g}. {why}").rstrip()


def comparison(one):
    sign = SIGNS[one["relation"]]
    times = f", the middle of {one['measured']}" if one["measured"] > 1 else ""
    words = f"{one['words'][:1].upper()}{one['words'][1:]}"
    return f"{words}: {number(one['left'])} {sign} {number(one['right'])}{times}"


def html_table(rows):
    head, *others = rows

    def cell(tag, value):
        if isinstance(value, (int, float)):
            return f'<{tag} class="number">{number(value)}</{tag}>'
        return f"<{tag}>{html.escape(str(value))}</{tag}>"
    return ("<table><tr>" + "".join(cell("th", one) for one in head) + "</tr>\n" +
            "".join("<tr>" + "".join(cell("td", one) for one in row) + "</tr>\n" for row in others) + "</table>\n")


def printed_table(figure):
    return html_table([["in the paper", "printed", "where"], *figure["printed"]]) if figure["printed"] else ""


def claims_table(verdicts):
    """Each claim with both of its sides."""
    rows = ""
    for one in verdicts:
        sign = SIGNS[one["relation"]]
        why = f'<br><span class="reason">{html.escape(why_of(one))}</span>' if why_of(one) else ""
        rows += (f'<tr><td>{html.escape(one["words"])}{why}</td><td class="number">{number(one["left"])} {sign} {number(one["right"])}</td>'
                 f'<td class="number">{one["measured"]}</td><td>{marked(word_of(one))}</td></tr>\n')
    return f"<table><tr><th>measured today</th><th>inequality</th><th>times</th><th></th></tr>\n{rows}</table>\n"


def section(figure):
    """A figure as a section of the page."""
    text = f'<h3 id="{figure["name"]}">{html.escape(figure["heading"])}: {html.escape(figure["title"])} {marked(verdict_of(figure))}</h3>\n'
    text += f'<p>The paper: {html.escape(figure["claim"])} Changed: {html.escape(figure["changed"])}</p>\n'
    if figure["status"] == "measured":
        text += f'<div class="beside">{printed_table(figure)}{claims_table(figure["verdicts"])}</div>\n'
        if figure["series"]:
            text += f'<div class="plot">{plot.plot(figure["series"], figure["x"], figure["y"], figure["log"])}</div>\n'
        if figure["table"]:
            text += html_table(figure["table"])
        for reason in figure["missing"]:
            text += f'<p class="reason">Not measured: {html.escape(reason)}</p>\n'
    else:
        text += printed_table(figure) + f'<p class="reason">Not measured: {html.escape(figure["reason"])}</p>\n'
    alone = f"./dev papers --only {figure['name']}"
    text += f"<p>By itself, {figure['seconds']} s: <code>{html.escape(alone)}</code></p>\n"
    if figure["commands"]:
        commands = html.escape("\n".join(figure["commands"]))
        text += f"<details><summary>The {len(figure['commands'])} commands that it runs</summary><pre>{commands}</pre></details>\n"
    return text


def counts_of(results):
    return {word: sum(verdict_of(one) == word for one in results["figures"]) for word in ("held", "not held", "not measured")}


def summary(results):
    rows = "".join(f'<tr><td><a href="#{one["name"]}">{html.escape(one["heading"])}</a></td>'
                   f'<td>{html.escape(one["title"])}</td><td>{html.escape(one["claim"])}</td>'
                   f'<td>{marked(verdict_of(one))}</td></tr>\n' for one in results["figures"])
    return f"<table><tr><th>Figure</th><th>Subject</th><th>The paper</th><th>Verdict</th></tr>\n{rows}</table>\n"


def measured_on(results):
    full = ", with --full" if all(one["full"] for one in results["figures"]) else ""
    return f"{results['machine']}; {sum(one['seconds'] for one in results['figures'])} s in all{full}"


def content(results):
    """The body of the page."""
    text = f'<style>{MARKS}</style>\n<h1 id="the-papers-reproduced">The papers, reproduced</h1>\n'
    text += (f'<p>{html.escape(measured_on(results))}. A claim is an '
             "inequality; it holds where its two sides differ by no more than 5 % in the wrong direction. One that "
             "does not hold, or is within 15 % of that, is measured five times, and more often until the spread of the ratios "
             "leaves no doubt or the figure's time is over; the middle counts. <em>Within the spread</em> is said of one "
             "whose border lies in it.</p>\n")
    text += "<p>" + " ".join(f"{count} {marked(word)}" for word, count in counts_of(results).items()) + "</p>\n" + summary(results)
    for paper, title in PAPERS.items():
        sections = "".join(section(one) for one in results["figures"] if one["paper"] == paper)
        if sections:
            text += f'<h2 id="{paper}">{html.escape(title)}</h2>\n{sections}'
    return text


def page(results):
    """The report by itself."""
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>The papers, reproduced</title><style>{STYLE}</style></head><body>\n{content(results)}</body></html>\n")


def in_words(results):
    """The report as docs/papers.md is: what was measured of each claim, without plots."""
    counts = counts_of(results)
    text = ("# The papers, reproduced\n\n"
            "`./dev papers` measures the tables and figures of the five papers that Armature implements. This is its last\n"
            "report in words; [its README](../papers/README.md) says how it is made. Numbers of another run differ. So may\n"
            "verdicts, where other programs computed on the machine: the load at the start says it.\n\n"
            "A claim holds where its two sides differ by no more than 5 % in the wrong direction. One that does not, or is\n"
            "within 15 % of that, is measured five times or more. It goes on until the spread of the ratios leaves no doubt, or\n"
            "the figure's time is over; the middle counts. *Within the spread* is said of one whose border lies in it.\n\n" +
            wrapped(measured_on(results) + ".") +
            f"Figures: {counts['held']} held, {counts['not held']} not held, {counts['not measured']} not measured.\n")
    for paper, title in PAPERS.items():
        shown = [one for one in results["figures"] if one["paper"] == paper]
        if shown:
            text += f"\n## {title}\n\n" + "\n".join(words_of(one) for one in shown)
    return text


def words_of(figure):
    kind_and_number = figure["heading"].split(", ")[1].capitalize()
    text = f"### {kind_and_number}: {figure['title']}\n\n**{verdict_of(figure).capitalize()}**, `{figure['name']}`.\n\n"
    if figure["status"] != "measured":
        return text + wrapped(f"* {sentence(figure['reason'])}")
    for one in figure["verdicts"]:
        text += wrapped(f"* {comparison(one)}: {word_of(one)}. {why_of(one)}")
    for reason in figure["missing"]:
        text += wrapped(f"* Not measured: {reason.strip('.')}.")
    return text


def wrapped(sentence):
    lines, line = [], ""
    for word in sentence.split():
        if line and len(line) + len(word) > 116:
            lines.append(line)
            line = " "
        line += (" " if line.strip() else "") + word if line else word
    return "\n".join([*lines, line]) + "\n"
