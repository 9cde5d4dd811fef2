package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Composes an answer from numbered evidence {@code [n] path:line: text}: names the declarations
 * that match the question best and quotes the lines that say so.
 */
final class AnswerComposer {

  private static final Pattern EVIDENCE = Pattern.compile("^\\[(\\d+)\\] (.+?):(\\d+): ?(.*)$");
  private static final int MOST_FILES = 3;
  private static final int MOST_OF_FILE = 2;
  private static final double LEAST_OF_BEST = 0.6;

  /** Evidence comes strongest first: each later line counts this much less. */
  private static final double PER_RANK = 0.1;

  private record Evidence(int number, String path, int line, String text, double score) {

    /** The file's name without folders and extension: as a rule, what it declares. */
    String stem() {
      String name = path.substring(path.lastIndexOf('/') + 1);
      int dot = name.lastIndexOf('.');
      return dot > 0 ? name.substring(0, dot) : name;
    }

    String quote() {
      return text.strip()
          .replaceAll("^(/\\*\\*?|\\*/?|//+|#+)\\s*", "")
          .replaceAll("\\*/$", "")
          .strip();
    }
  }

  private AnswerComposer() {}

  static ObjectNode compose(LexicalPrompt prompt) {
    List<Evidence> chosen = chosen(prompt);
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("answer", chosen.isEmpty() ? "The evidence does not answer this." : text(chosen));
    ArrayNode citations = root.putArray("citations");
    for (Evidence evidence : chosen) {
      citations.addObject().put("evidence", evidence.number());
    }
    return root;
  }

  private static List<Evidence> chosen(LexicalPrompt prompt) {
    Extract question = Extract.of(new LexicalPrompt(List.of(), prompt.request(), prompt.schema()));
    List<Evidence> all = new ArrayList<>();
    for (String line : prompt.request().split("\n")) {
      Matcher matcher = EVIDENCE.matcher(line);
      if (matcher.matches()) {
        all.add(evidence(matcher, question, all.size()));
      }
    }
    all.sort(Comparator.comparingDouble((Evidence e) -> -e.score()));
    List<Evidence> chosen = new ArrayList<>();
    Map<String, Integer> perFile = new LinkedHashMap<>();
    for (Evidence evidence : all) {
      boolean strong = evidence.score() >= LEAST_OF_BEST * all.getFirst().score();
      boolean known = perFile.containsKey(evidence.path());
      if (strong
          && (known || perFile.size() < MOST_FILES)
          && perFile.getOrDefault(evidence.path(), 0) < MOST_OF_FILE) {
        perFile.merge(evidence.path(), 1, Integer::sum);
        chosen.add(evidence);
      }
    }
    return chosen;
  }

  private static Evidence evidence(Matcher matcher, Extract question, int rank) {
    String path = matcher.group(2);
    String text = matcher.group(4);
    double own = question.match(text);
    double withFile = question.match(path + " " + text);
    boolean declares = new LineKinds(path).next(text).declares();
    double score = (own + withFile) / 2 * (declares ? 1.2 : 1) / (1 + PER_RANK * rank);
    return new Evidence(
        Integer.parseInt(matcher.group(1)), path, Integer.parseInt(matcher.group(3)), text, score);
  }

  private static String text(List<Evidence> chosen) {
    Map<String, List<Evidence>> byFile = new LinkedHashMap<>();
    for (Evidence evidence : chosen) {
      byFile.computeIfAbsent(evidence.path(), p -> new ArrayList<>()).add(evidence);
    }
    StringBuilder text = new StringBuilder();
    for (List<Evidence> lines : byFile.values()) {
      if (!text.isEmpty()) {
        text.append(" See also ").append(sentence(lines)).append('.');
      } else {
        text.append(sentence(lines)).append('.');
      }
    }
    return text.toString();
  }

  /** "X (path:line) declares "..." and says "..."". */
  private static String sentence(List<Evidence> lines) {
    StringBuilder sentence = new StringBuilder();
    Evidence first = lines.getFirst();
    sentence.append(first.stem()).append(" (").append(first.path()).append(')');
    for (int i = 0; i < lines.size(); i++) {
      Evidence evidence = lines.get(i);
      Optional<String> name = declaredIn(evidence);
      sentence.append(i == 0 ? " " : " and ");
      sentence.append(name.map(n -> "declares " + n + " at line ").orElse("says at line "));
      sentence.append(evidence.line()).append(": \"").append(evidence.quote()).append('"');
    }
    return sentence.toString();
  }

  private static Optional<String> declaredIn(Evidence evidence) {
    boolean declares = new LineKinds(evidence.path()).next(evidence.text()).declares();
    return declares ? LineKinds.declaredName(evidence.text()) : Optional.empty();
  }
}
