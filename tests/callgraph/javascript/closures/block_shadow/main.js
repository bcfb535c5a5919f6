function outside() {}
function inside() {}
const pick = outside;
{
  const pick = inside;
  pick();
}
function later() {
  pick();
}
later();
