module App
  class Store
    def initialize
      check()
    end

    def put(n)
      check()
    end

    def check; end
  end
end
