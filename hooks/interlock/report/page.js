// finds as one types, and copies a command; without it the page is only read
const all = document.querySelectorAll('.card, ul.plain li, table tr, dl > div');
document.querySelector('input.find').addEventListener('input', e => {
  const word = e.target.value.toLowerCase();
  for (const one of all) {
    if (one.querySelector('th') && !one.querySelector('td')) continue;
    one.hidden = !one.textContent.toLowerCase().includes(word);
  }
});
document.addEventListener('click', e => {
  if (!e.target.matches('button.copy')) return;
  const code = e.target.previousElementSibling, range = document.createRange();
  range.selectNodeContents(code);
  const chosen = getSelection();
  chosen.removeAllRanges();
  chosen.addRange(range);
  e.target.textContent = document.execCommand('copy') ? 'copied' : 'press Ctrl+C';
});
