// The search: pages and sections whose title or text has all words, those with the words in the title first. The index
// is a script, since a page that was opened from a disk may not fetch files.
(function () {
  const field = document.getElementById("site-search");
  const list = document.getElementById("found");
  const up = document.body.dataset.up;

  function score(entry, words) {
    let sum = 0;
    for (const word of words) {
      if (entry.title.toLowerCase().startsWith(word)) sum += 20;
      else if (entry.title.toLowerCase().includes(word)) sum += 10;
      else if (entry.text.toLowerCase().includes(word)) sum += 1;
      else return 0;
    }
    return sum;
  }

  function excerpt(entry, word) {
    const at = Math.max(0, entry.text.toLowerCase().indexOf(word) - 40);
    return (at > 0 ? "… " : "") + entry.text.slice(at, at + 140);
  }

  field.addEventListener("input", function () {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    list.hidden = words.length === 0;
    if (words.length === 0) return;
    const found = searchIndex.map((entry) => [score(entry, words), entry]).filter((one) => one[0] > 0);
    found.sort((one, other) => other[0] - one[0]);
    for (const [, entry] of found.slice(0, 30)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = up + entry.url;
      link.textContent = entry.title;
      const text = document.createElement("small");
      text.textContent = entry.page + ": " + excerpt(entry, words[0]);
      item.append(link, text);
      list.append(item);
    }
    if (found.length === 0) list.textContent = "Nothing has these words.";
  });
  field.addEventListener("keydown", function (event) {
    const first = list.querySelector("a");
    if (event.key === "Enter" && first) location.href = first.href;
    if (event.key === "Escape") { field.value = ""; list.hidden = true; }
  });
})();
