function fallback() {}
function chosen() {}
let handler;
handler ??= fallback;
handler();
const last = (chosen(), fallback);
last();
