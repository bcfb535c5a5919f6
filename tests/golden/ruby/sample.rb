# frozen_string_literal: true

require 'set'
require_relative "store/base"

# Everything about orders.
module Shop
  TAX = 0.19

  # An order of a customer.
  class Order < Store::Base
    include Comparable
    extend Forwardable, Enumerable

    attr_reader :lines, :customer
    STATES = %w[open paid].freeze

    # Makes an order.
    def initialize(customer, lines: [], &block)
      @customer = customer
      instance_eval(&block) if block
    end

    def self.find(id) = repository.fetch(id)

    class << self
      def repository
        @repository ||= Repository.new(Order)
      end
    end

    def total
      lines.sum { |line| line.price * (1 + TAX) }
    end

    def paid?
      case state
      when :paid then true
      else
        until done? do retry! end
      end
    end

    define_method(:label) { "order  #{id}" }

    private

    def secret; end

    public

    def open!; save!&.notify; end

    private def inline; end
  end

  class Order::Line
    def <=>(other) = price <=> other.price
  end
end

Point = Struct.new(:x, :y)

def helper(*args, **options)
  puts "x" unless args.empty?
end

RSpec.describe Shop::Order do
  context "when paid" do
    it 'has a total' do
      expect(Shop::Order.find(1).total).to eq(2)
    end
  end
end
