package com.acme.billing;

import java.util.List;
import java.util.concurrent.*;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Sends invoices.
 *
 * @author nobody
 */
@RestController
@RequestMapping("/invoices")
public class InvoiceController<T extends Payable> extends BaseController<T> implements Closeable, audit.Audited {
    private static final int MAX_PAGES = 50, MIN_PAGES = 1;
    private final InvoiceService service;
    protected List<Line> lines = new ArrayList<>();

    public InvoiceController(InvoiceService service) {
        super(service);
        this.service = service;
    }

    // Finds one invoice.
    @GetMapping("/{id}")
    public Invoice find(@PathVariable("id") final long id, String... hints) throws NotFound {
        Invoice found = this.service.load(id).orElseThrow(NotFound::new);
        if (found == null) {
            for (String hint : hints) {
                switch (hint) { case "a  b": return null; default: log(hint); }
            }
        }
        return found;
    }

    @RequestMapping(value = "/all", method = RequestMethod.POST)
    List<Invoice> all() { return Invoice.<T>query().map(Invoice::copy).toList(); }

    @Override public void close() {}

    private <R> R with(Function<Invoice, R> action) {
        Runnable later = () -> action.apply(new Invoice<>(1));
        pool.submit(later);
        return null;
    }

    static class Builder { Builder self() { return this; } }

    enum State { DRAFT(1), SENT { @Override int code() { return 2; } }; State(int code) {} int code() { return 1; } }

    interface Visitor extends Consumer<Invoice>, Named {
        int DEPTH = 3;
        void visit(Invoice invoice);
        default void leave() { visit(null); }
    }

    record Line(String text, long cents) implements Serializable {
        Line { if (cents < 0) throw new IllegalArgumentException(); }
    }

    @interface Audited { String value() default ""; }
}

class InvoiceControllerTest {
    @Test
    void findsAnInvoice() { assertEquals(1, new InvoiceController<>(null).all().size()); }
}
