interface Visitor {
    void visit(Leaf leaf);

    void visit(Branch branch);
}

abstract class Node {
    abstract void accept(Visitor visitor);
}

class Leaf extends Node {
    void accept(Visitor visitor) {
        visitor.visit(this);
    }
}

class Branch extends Node {
    private final java.util.List<Node> children = new java.util.ArrayList<>();

    void add(Node child) {
        children.add(child);
    }

    void accept(Visitor visitor) {
        visitor.visit(this);
        for (Node child : children) {
            child.accept(visitor);
        }
    }
}

class Printer implements Visitor {
    public void visit(Leaf leaf) {
    }

    public void visit(Branch branch) {
    }
}

public class Main {
    public static void main(String[] args) {
        Branch root = new Branch();
        root.add(new Leaf());
        root.accept(new Printer());
    }
}
