class Robot {
    Robot() {
    }

    public void walk(int steps) {
    }

    public static void reset() {
    }
}

public class Main {
    static void methods() throws Exception {
        Robot.class.getDeclaredMethod("reset").invoke(null);
        java.lang.reflect.Method walk = Robot.class.getMethod("walk", int.class);
        walk.invoke(new Robot(), 3);
    }

    static void classes() throws Exception {
        Robot robot = (Robot) Class.forName("Robot").getDeclaredConstructor().newInstance();
        robot.walk(1);
    }
}
