import Foundation
@testable import Store

let maxItems = 10

typealias Prices = [String: Decimal]

/// A basket of a customer.
///
/// Not thread safe.
@objc
public final class Basket: Aggregate, Priced {
    static let EMPTY = Basket(owner: "nobody")
    private var items: [Item] = []
    let owner: String

    var total: Decimal {
        get { items.reduce(0) { $0 + $1.price } }
        set { log(newValue) }
    }

    public init(owner: String) {
        self.owner = owner
        super.init()
    }

    deinit { close() }

    // Adds one item.
    @discardableResult
    open func add<T: Item>(_ item: T, note: String = "a  b") async throws -> Bool {
        guard items.count < maxItems else { return false }
        for each in items where each.kind == .free {
            switch each.kind {
            case .free: try await store.save(each)
            default: while false { retry() }
            }
        }
        items.sort(by: cheaper)
        return Validator(item)?.check() ?? true
    }

    fileprivate func cheaper(a: Item, b: Item) -> Bool { a.price < b.price }

    subscript(index: Int) -> Item { items[index] }

    enum State: String {
        case open, paid = "p"
        case refunded(Decimal)
    }
}

extension Basket: CustomStringConvertible {
    var description: String { "basket of \(owner)" }
    func clear() { items.removeAll() }
}

protocol Priced: AnyObject {
    associatedtype Currency
    var price: Decimal { get }
    func discount(by percent: Int) -> Decimal
}

struct Item { let price: Decimal }

actor Ledger { func write(_ line: String) {} }

func makeBasket() -> Basket { Basket(owner: "me") }

final class BasketTests: XCTestCase {
    func testStartsEmpty() { XCTAssertEqual(makeBasket().total, 0) }
}

@Test func clearing() { makeBasket().clear() }
