const Menu = {
  Item() {
    return null;
  },
};
export const App = function () {
  return <Menu.Item />;
};
