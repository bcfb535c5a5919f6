function Button(props: { onPress: () => void }) {
  props.onPress();
  return <button onClick={props.onPress}>ok</button>;
}
function save() {}
export function Form() {
  return (
    <form>
      <Button onPress={save} />
    </form>
  );
}
