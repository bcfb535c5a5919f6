require_relative 'store'

module App
  class Words
    def run(given)
      prepare
      limit = ceiling
      report limit, total
      given = fresh unless ready
      shadowed = 1
      shadowed
      given
      [1].each { |inner| inner }
      "#{label}: #{limit}"
      Store.new.check
    end

    def prepare; end

    def ceiling; end

    def report(limit, sum); end

    def total; end

    def fresh; end

    def ready; end

    def label; end

    def shadowed; end

    def inner; end

    def given; end
  end
end
