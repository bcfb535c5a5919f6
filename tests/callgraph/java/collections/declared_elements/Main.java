import java.util.*;

class Seat {
    void clean() {
    }
}

class Row {
    private Map<Integer, List<Seat>> seats;
    private Seat[] reserved;

    void clean() {
        for (Map.Entry<Integer, List<Seat>> entry : seats.entrySet()) {
            for (Seat seat : entry.getValue()) {
                seat.clean();
            }
        }
    }

    void first() {
        seats.get(1).get(0).clean();
    }

    void last() {
        reserved[0].clean();
    }

    void each() {
        seats.values().stream().flatMap(all -> all.stream()).forEach(seat -> seat.clean());
    }
}
