defmodule App.Runner do
  alias App.Store

  def run(x) do
    Store.put(x)
    App.Store.check(x)
    helper(x)
  end

  defp helper(x), do: x
end
