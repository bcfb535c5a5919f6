import React, { useState, type FC } from 'react';
import { Button } from './button';

interface Props {
  title: string;
  onSave?: (draft: Draft) => void;
}

export type Draft = { text: string };

// Shows one note and lets it be edited.
export const Editor: FC<Props> = ({ title, onSave }) => {
  const [text, setText] = useState<string>('');

  function submit(event: React.FormEvent) {
    event.preventDefault();
    if (text) onSave?.({ text });
  }

  return (
    <form onSubmit={submit}>
      <h1>{title}  two spaces</h1>
      <Button.Primary label="Save" onClick={() => setText('')} render={renderIcon} />
      {text ? <Preview text={text} /> : null}
    </form>
  );
};

function Preview({ text }: Draft): JSX.Element {
  return <>{text}</>;
}

const renderIcon = () => <Icon />;

export default class Boundary extends React.Component<Props, { failed: boolean }> {
  state = { failed: false };
  static getDerivedStateFromError() { return { failed: true }; }
  componentDidCatch(error: Error) { for (const each of listeners) each(error); }
  render() { return this.state.failed ? <Preview text="broken" /> : this.props.children; }
}
