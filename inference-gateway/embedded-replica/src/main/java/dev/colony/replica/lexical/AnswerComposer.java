package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import dev.colony.replica.lexical.QueryTerms.Extract;
import dev.colony.vcm.mapping.PageText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Composes an answer from numbered passages, which come strongest first: names the files in that
 * order and quotes the line of each that has most of the question. A passage is {@code [n]
 * path:line: text}, or {@code [n] path:first-last:} with its lines below, each behind {@code >} and
 * a blank, and others around it. It has understood none of them, and says no more than that these
 * lines are the closest.
 */
final class AnswerComposer {

  private static final Pattern EVIDENCE =
      Pattern.compile("^\\[(\\d+)\\] (.+?):(\\d+)(?:-\\d+)?: ?(.*)$");
  private static final String OWN_LINE = "> ";
  private static final int MOST_FILES = 5;
  private static final int MOST_OF_FILE = 3;

  /**
   * A passage, told by the one of its lines that matches the question best.
   *
   * @param line that line's number
   */
  private record Evidence(int number, String path, int line, String text, double match) {

    /** The file's name without folders and extension. */
    String stem() {
      String name = path.substring(path.lastIndexOf('/') + 1);
      int dot = name.lastIndexOf('.');
      return dot > 0 ? name.substring(0, dot) : name;
    }

    boolean says() {
      return quote().chars().anyMatch(Character::isLetterOrDigit);
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
    if (prompt.schema().map(schema -> schema.path("properties").has("uncertain")).orElse(false)) {
      root.putArray("uncertain");
      root.putArray("notRead");
    }
    return root;
  }

  /**
   * The lines of each file that share a word with the question, the files in the order of their
   * strongest lines.
   */
  private static Map<String, List<Evidence>> chosen(LexicalPrompt prompt) {
    Extract question = Extract.of(new LexicalPrompt(List.of(), prompt.request(), prompt.schema()));
    List<Evidence> all = passages(prompt.request(), question);
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

  /** The passages of a request in its order. */
  private static List<Evidence> passages(String request, Extract question) {
    Map<Integer, Evidence> best = new LinkedHashMap<>();
    Matcher open = null;
    int number = 0;
    for (String line : request.split("\n")) {
      Matcher matcher = EVIDENCE.matcher(line);
      if (matcher.matches()) {
        open = matcher;
        number = Integer.parseInt(open.group(3));
        if (!open.group(4).isEmpty()) {
          take(evidence(open, number, open.group(4), question), best);
        }
      } else if (open != null && line.startsWith(OWN_LINE)) {
        String text = PageText.unnumbered(number, line.substring(OWN_LINE.length()));
        take(evidence(open, number, text, question), best);
        number++;
      }
    }
    return List.copyOf(best.values());
  }

  /** A line that says nothing, as the end of a comment, stands for a passage only where all do. */
  private static void take(Evidence one, Map<Integer, Evidence> best) {
    best.merge(
        one.number(),
        one,
        (had, now) ->
            had.says() != now.says()
                ? had.says() ? had : now
                : now.match() > had.match() ? now : had);
  }

  private static Evidence evidence(Matcher head, int line, String text, Extract question) {
    String path = head.group(2);
    return new Evidence(
        Integer.parseInt(head.group(1)), path, line, text, question.match(path + " " + text));
  }

  /** Keeps all passages as they stand there: it can weigh none against the others. */
  static ObjectNode keepAll(LexicalPrompt prompt) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ArrayNode keep = root.putArray("keep");
    passages(prompt.request(), Extract.of(prompt)).forEach(one -> keep.add(one.number()));
    root.putArray("gaps");
    return root;
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
