// Reads lines "BASE64_OF_SOURCE START END" and writes, for each, the syntax tree of that piece of text in BASE64.
// Comments and the format are not part of it; javac joins adjacent literals and orders modifiers. An empty line
// stands for a file that does not parse. Usage: java SyntaxTrees.java, START and END in UTF-16 units.
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

public class SyntaxTrees {
  record Parsed(CompilationUnitTree unit, SourcePositions positions) {}

  static Parsed parse(JavaCompiler compiler, String source) throws Exception {
    var text = new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignored) {
        return source;
      }
    };
    var said = new DiagnosticCollector<JavaFileObject>();
    var task = (JavacTask) compiler.getTask(null, null, said, List.of("-proc:none"), null, List.of(text));
    CompilationUnitTree unit = task.parse().iterator().next();
    boolean failed = said.getDiagnostics().stream().anyMatch(each -> each.getKind() == Diagnostic.Kind.ERROR);
    return failed ? null : new Parsed(unit, Trees.instance(task).getSourcePositions());
  }

  // The outermost node that the piece of text is, or all outermost nodes within it.
  static String within(Parsed file, long start, long end) {
    List<String> found = new ArrayList<>();
    new TreeScanner<Void, Void>() {
      @Override
      public Void scan(Tree node, Void nothing) {
        if (node == null) return null;
        long from = file.positions().getStartPosition(file.unit(), node);
        long to = file.positions().getEndPosition(file.unit(), node);
        boolean whole = from >= start && to <= end && to > from && node != file.unit();
        if (whole) found.add(node.toString());
        else if (to < 0 || (to > start && from < end)) super.scan(node, nothing);
        return null;
      }
    }.scan(file.unit(), null);
    return String.join(";", found);
  }

  public static void main(String[] words) throws Exception {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    Map<String, Parsed> files = new HashMap<>();
    var trees = new StringBuilder();
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      String[] order = line.split(" ");
      if (!files.containsKey(order[0])) {
        String source = new String(Base64.getDecoder().decode(order[0]), StandardCharsets.UTF_8);
        files.put(order[0], parse(compiler, source));
      }
      Parsed file = files.get(order[0]);
      String tree = file == null ? "" : within(file, Long.parseLong(order[1]), Long.parseLong(order[2]));
      trees.append(Base64.getEncoder().encodeToString(tree.getBytes(StandardCharsets.UTF_8))).append('\n');
    }
    System.out.print(trees);
  }
}
