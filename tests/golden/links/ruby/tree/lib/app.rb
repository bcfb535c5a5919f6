require_relative 'app/store'

module App
  class Runner < Base
    def run
      store = Store.new
      store.put(1)
      helper()
    end

    def helper; end
  end
end
