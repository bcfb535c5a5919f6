using System;
using static System.Math;
using Json = System.Text.Json;

namespace Acme.Orders;

/// <summary>Orders over HTTP.</summary>
/// <remarks>Never throws.</remarks>
[ApiController]
[Route("api/orders")]
public sealed partial class OrderController<T> : BaseController<T>, IDisposable, Audit.ILogged where T : class
{
    private const int MaxPages = 50;
    private readonly IOrders _orders;
    public string Name { get; private set; } = "orders  api";
    public int Count => _orders.Count();
    protected event EventHandler Changed;

    public OrderController(IOrders orders) : base(orders) { _orders = orders; }

    // Finds one order.
    [HttpGet("{id}")]
    public async Task<Order> Get(int id, [FromQuery] string hint = "a  b")
    {
        if (id < 0) throw new ArgumentException(nameof(id));
        foreach (var each in await _orders.AllAsync<Order>())
        {
            switch (each.State) { case State.Open: return each; default: Log(each?.Label()); break; }
        }
        int Local(int x) => Abs(x);
        return new Order<T>(Local(id)).Validate(Check);
    }

    [HttpPost, Authorize]
    internal void Create(Order order) => _orders.Add(order);

    public static bool operator ==(OrderController<T> a, OrderController<T> b) => true;
    public void Dispose() { }
    ~OrderController() { }

    enum State { Open, Paid = 2 }
    delegate void Handler(Order order);
}

public interface IOrders : IEnumerable<Order> { int Count(); Task<List<T>> AllAsync<T>(); }

public record Order(int Id) : Entity(Id) { public string Label() => $"order {Id}"; }

struct Money { public decimal Amount; }

namespace Inner
{
    static class Program
    {
        static void Main(string[] args)
        {
            var app = WebApplication.Create(args);
            app.MapGet("/health", () => "ok");
            app.MapPost("/orders", Handlers.Create);
        }
    }
}

public class OrderTests
{
    [Fact]
    public void Finds_an_order() { Assert.Equal(1, new Order(1).Id); }
}
