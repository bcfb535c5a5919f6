defmodule Acme.Queue.Worker do
  @moduledoc """
  Does jobs one after the other.

  Restarted on failure.
  """
  use GenServer, restart: :transient
  import Acme.Support, only: [now: 0]
  alias Acme.{Job, Store}
  alias Acme.Queue.Retry, as: Again
  require Logger
  @behaviour Acme.Worker

  @max_tries 3
  defstruct [:name, jobs: []]

  @doc "Starts a worker."
  @spec start_link(keyword()) :: GenServer.on_start()
  def start_link(opts \\ []) do
    GenServer.start_link(__MODULE__, opts, name: __MODULE__)
  end

  @impl true
  def handle_call({:push, job}, _from, state) when is_map(job) do
    if length(state.jobs) > @max_tries do
      {:reply, {:error, "too  many"}, state}
    else
      case Store.put(job) do
        :ok -> job |> Job.run() |> log_result()
        {:error, reason} -> Again.later(reason)
      end
    end
  end

  def handle_call(:size, _from, state), do: {:reply, length(state.jobs), state}

  # Counts one try.
  defp count(0), do: 0
  defp count(tries), do: count(tries - 1) + 1

  defmacro traced(body) do
    quote do: unquote(body)
  end

  def noargs, do: %Job{at: now()}

  defmodule Inner do
    def deep, do: :ok
  end
end

defprotocol Acme.Printable do
  @doc "Says it."
  def print(value)
end

defimpl Acme.Printable, for: Acme.Job do
  def print(job), do: job.name
end

defmodule Acme.QueueTest do
  use ExUnit.Case

  describe "push" do
    test "keeps jobs", %{worker: worker} do
      assert Acme.Queue.Worker.noargs() == worker
    end
  end
end
