package app;

import java.util.ArrayList;
import java.util.List;

interface Rule {
    boolean check(String text);
}

class Always implements Rule {
    public boolean check(String text) {
        return true;
    }
}

class Rules {
    private final List<Rule> rules = new ArrayList<>();

    Rules add(Rule rule) {
        rules.add(rule);
        return this;
    }

    boolean all(String text) {
        for (Rule rule : rules) {
            if (!rule.check(text)) return false;
        }
        return true;
    }

    boolean one(Rule rule) {
        return rule.check("x");
    }

    static boolean both() {
        return new Rules().add(new Always()).all("a") && new Rules().one(new Always());
    }
}

interface Policy {
    boolean allows(String name);
}

class Policies {
    static boolean ask(Policy policy) {
        return policy.allows("a");
    }

    static boolean pass() {
        return ask(name -> false);
    }

    static boolean local() {
        Policy policy = name -> true;
        return policy.allows("b");
    }
}
