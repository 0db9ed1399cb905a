// Before anything is drawn: the colours that the reader chose last time.
try {
  const chosen = localStorage.getItem('feedrate-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // A browser may keep no storage for files: the system's colours then.
}
