package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Composes an answer from numbered evidence {@code [n] path:line: text}, which comes strongest
 * first: names the files in that order and quotes the first line of each. It has understood none of
 * them, and says no more than that these lines are the closest.
 */
final class AnswerComposer {

  private static final Pattern EVIDENCE = Pattern.compile("^\\[(\\d+)\\] (.+?):(\\d+)(?:-\\d+)?: ?(.*)$");
  private static final int MOST_FILES = 5;
  private static final int MOST_OF_FILE = 3;

  private record Evidence(int number, String path, int line, String text, double match) {

    /** The file's name without folders and extension. */
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
    Map<String, List<Evidence>> chosen = chosen(prompt);
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("answer", chosen.isEmpty() ? "The evidence does not answer this." : text(chosen));
    ArrayNode citations = root.putArray("citations");
    for (List<Evidence> ofFile : chosen.values()) {
      ofFile.forEach(one -> citations.addObject().put("evidence", one.number()));
    }
    return root;
  }

  /**
   * The lines of each file that share a word with the question, the files in the order of their
   * strongest lines.
   */
  private static Map<String, List<Evidence>> chosen(LexicalPrompt prompt) {
    Extract question = Extract.of(new LexicalPrompt(List.of(), prompt.request(), prompt.schema()));
    List<Evidence> all = new ArrayList<>();
    for (String line : prompt.request().split("\n")) {
      Matcher matcher = EVIDENCE.matcher(line);
      if (matcher.matches()) {
        all.add(
            new Evidence(
                Integer.parseInt(matcher.group(1)),
                matcher.group(2),
                Integer.parseInt(matcher.group(3)),
                matcher.group(4),
                question.match(matcher.group(2) + " " + matcher.group(4))));
      }
    }
    Map<String, List<Evidence>> byFile = new LinkedHashMap<>();
    for (Evidence one : all) {
      boolean room = byFile.containsKey(one.path()) || byFile.size() < MOST_FILES;
      if (room && one.match() > 0) {
        List<Evidence> ofFile = byFile.computeIfAbsent(one.path(), path -> new ArrayList<>());
        if (ofFile.size() < MOST_OF_FILE) {
          ofFile.add(one);
        }
      }
    }
    return byFile;
  }

  private static String text(Map<String, List<Evidence>> chosen) {
    StringBuilder text = new StringBuilder();
    for (List<Evidence> ofFile : chosen.values()) {
      Evidence first = ofFile.getFirst();
      text.append(text.isEmpty() ? "Closest lines found: " : " Then ")
          .append(
              "%s (%s) at line %d: \"%s\"."
                  .formatted(first.stem(), first.path(), first.line(), first.quote()));
    }
    return text.toString();
  }
}
