import java.util.ArrayList;
import java.util.List;

interface Job {
    void run();
}

class Build implements Job {
    public void run() {
    }
}

class Idle implements Job {
    public void run() {
    }
}

public class Main {
    private final List<Job> jobs = new ArrayList<>();

    void fill() {
        jobs.add(new Build());
    }

    void all() {
        for (Job job : jobs) {
            job.run();
        }
    }

    void first() {
        jobs.get(0).run();
    }

    void none() {
        List<Job> other = new ArrayList<>();
        other.add(new Idle());
    }
}
