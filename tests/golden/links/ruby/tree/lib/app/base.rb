module App
  class Base
    def stop; end
  end
end
