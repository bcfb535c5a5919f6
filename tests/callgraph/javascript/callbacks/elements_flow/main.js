function hi() {}
function bye() {}
[hi, bye].forEach((f) => f());
