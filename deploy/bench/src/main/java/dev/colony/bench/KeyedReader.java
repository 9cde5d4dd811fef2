package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.blackboard.value.Text;
import dev.colony.vcm.mapping.PageText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Plays a model that knows a key which no prompt has: what it replies to the prompts of a research
 * run is right, or wrong in a certain manner, so that what a run makes of replies can be measured
 * without a model. It quotes only from what a prompt shows. The same prompt always gets the same
 * reply. Thread-safe.
 */
final class KeyedReader {

  private static final Pattern QUESTION = Pattern.compile("(?m)^Question: (.*)$");
  private static final Pattern HEADER = Pattern.compile("=== (.+) \\(lines (\\d+)-(\\d+)\\)");
  private static final Pattern PASSAGE = Pattern.compile("\\[(\\d+)] (.+?):(\\d+)(?:-\\d+)?:");
  private static final Pattern PLACE = Pattern.compile("(?m)^\\[(\\d+)] (\\S+?):\\d+(?: .*)?$");
  private static final Pattern PASSAGE_READ = Pattern.compile("\\[(\\d+)] (.+?)(?:, .*)?");
  private static final Pattern NUMBERED = Pattern.compile("(\\d+)\t(.*)");
  private static final Pattern LETTERS = Pattern.compile("[A-Za-z]{4,}");

  private static final int AROUND = 2;
  private static final int MOST_QUOTES = 8;
  private static final int LONG_ENOUGH_FOR_A_SLIP = 30;

  /** Of a search that a reply asks for, as the prompts bound it. */
  private static final int WORDS_CHARS = 80;

  /** One question in this many is not understood before a first round has been read. */
  private static final int LATE = 3;

  /** How a scripted reader answers. */
  enum Manner {
    /**
     * As the key has it: right queries, right lines letter by letter, a second round where needed.
     */
    COMPETENT,
    /** The same with wrong numbers, shortened paths, joined lines, slips, and JSON in a fence. */
    SLOPPY,
    /**
     * Quotes what no file has, in words that the key takes for right, and cites what there is not.
     */
    INVENTING;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * That of a name.
     *
     * @throws IllegalArgumentException on one line, if there is none
     */
    static Manner of(String word) {
      return Arrays.stream(values())
          .filter(one -> one.word().equals(word))
          .findAny()
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "a reader is %s, not: %s"
                      .formatted(
                          Arrays.stream(values())
                              .map(Manner::word)
                              .collect(Collectors.joining(", ")),
                          word)));
    }
  }

  private final Map<String, KeyedQuestion> keys;
  private final Function<String, Map<String, List<String>>> rightFiles;
  private final Manner manner;

  /**
   * A reader.
   *
   * @param keys by the questions
   * @param rightFiles the lines of a question's right files, by their paths
   */
  KeyedReader(
      Map<String, KeyedQuestion> keys,
      Function<String, Map<String, List<String>>> rightFiles,
      Manner manner) {
    this.keys = Map.copyOf(keys);
    this.rightFiles = rightFiles;
    this.manner = manner;
  }

  /** A reader that knows the keys of the questions, and what their right files hold. */
  static KeyedReader of(List<KeyedQuestion> questions, Map<String, Path> folders, Manner manner) {
    Map<String, KeyedQuestion> keys = new HashMap<>();
    Map<String, Map<String, List<String>>> files = new HashMap<>();
    for (KeyedQuestion one : questions) {
      keys.put(one.question(), one);
      files.put(one.question(), rightFiles(one, folders.get(one.corpus())));
    }
    return new KeyedReader(keys, files::get, manner);
  }

  private static Map<String, List<String>> rightFiles(KeyedQuestion question, Path folder) {
    Map<String, List<String>> right = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String path = folder.relativize(file).toString().replace('\\', '/');
        if (question.right(path)) {
          right.put(
              path, new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList());
        }
      }
      return right;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(folder + " cannot be read", unreadable);
    }
  }

  /**
   * The reply to a prompt; an empty object to one without a question that is known.
   *
   * @param messages all but those of the system, in their order
   */
  String reply(List<String> messages, Set<String> asked) {
    String last = messages.getLast();
    Optional<String> question =
        QUESTION.matcher(last).results().map(one -> one.group(1).strip()).reduce((a, b) -> b);
    KeyedQuestion key = question.map(keys::get).orElse(null);
    ObjectNode reply = JsonNodeFactory.instance.objectNode();
    if (key == null) {
      return reply.toString();
    }
    if (asked.contains("ids")) {
      choose(key, last, reply, asked.contains("words"));
    } else if (asked.contains("passages")) {
      read(key, last, reply, asked.contains("words"));
    } else if (asked.contains("queries")) {
      texts(reply.putArray("queries"), late(key) ? List.of("manager util") : queries(key));
    } else if (asked.contains("evidence")) {
      quote(key, messages, reply.putArray("evidence"));
      reply.putArray("look");
    } else if (asked.contains("keep")) {
      judge(key, last, reply);
    } else if (asked.contains("answer")) {
      compose(key, last, reply);
    }
    return manner == Manner.SLOPPY
        ? "Here is my reply:\n```json\n" + reply.toPrettyString() + "\n```\n"
        : reply.toString();
  }

  private static boolean late(KeyedQuestion key) {
    return Math.floorMod(key.id().hashCode(), LATE) == 0;
  }

  /** Names of the right files, and words of their right lines. */
  private List<String> queries(KeyedQuestion key) {
    Set<String> names = new LinkedHashSet<>();
    Set<String> words = new LinkedHashSet<>();
    rightFiles
        .apply(key.question())
        .forEach((file, lines) -> {
          names.add(file.substring(file.lastIndexOf('/') + 1).replaceFirst("\\.\\w+$", ""));
          IntStream.range(0, lines.size())
              .filter(at -> key.right(new Found(file, at + 1, lines.get(at))))
              .limit(2)
              .forEach(at ->
                  LETTERS
                      .matcher(lines.get(at))
                      .results()
                      .limit(6)
                      .forEach(word -> words.add(word.group())));
        });
    return List.of(
        Text.cut(String.join(" ", names.stream().limit(4).toList()), WORDS_CHARS),
        Text.cut(String.join(" ", words.stream().limit(12).toList()), WORDS_CHARS));
  }

  /** Of the places that a search found those in right files; words for another search for none. */
  private void choose(KeyedQuestion key, String prompt, ObjectNode reply, boolean wordsToo) {
    ArrayNode ids = reply.putArray("ids");
    Matcher place = PLACE.matcher(prompt);
    while (place.find() && ids.size() < MOST_QUOTES) {
      if (key.right(place.group(2))) {
        ids.add(Integer.parseInt(place.group(1)));
      }
    }
    reply.put("why", "they are of the right files");
    if (wordsToo) {
      texts(reply.putArray("words"), ids.isEmpty() ? queries(key) : List.of());
    }
    if (manner == Manner.INVENTING) {
      ids.removeAll().add(77);
    }
  }

  /** The first right line of each passage with those around it. */
  private void read(KeyedQuestion key, String prompt, ObjectNode reply, boolean wordsToo) {
    ArrayNode passages = reply.putArray("passages");
    StringBuilder answer = new StringBuilder();
    String number = "";
    String file = "";
    for (String line : prompt.lines().toList()) {
      Matcher head = PASSAGE_READ.matcher(line);
      Matcher shown = NUMBERED.matcher(line);
      if (head.matches()) {
        number = head.group(1);
        file = head.group(2);
      } else if (shown.matches() && key.right(found(file, shown.group(1), shown.group(2)))) {
        int at = Integer.parseInt(shown.group(1));
        String lines =
            manner == Manner.INVENTING
                ? (at + 5_000) + "-" + (at + 5_001)
                : Math.max(1, at - AROUND) + "-" + (at + AROUND);
        passages
            .addObject()
            .put("n", Integer.parseInt(number))
            .put("why", "it tells")
            .put("grade", 2)
            .put("lines", manner == Manner.SLOPPY ? "at " + lines : lines);
        answer.append("It is done here [").append(number).append(':').append(lines).append("]. ");
        file = "";
      }
    }
    if (passages.isEmpty()) {
      passages.addObject().put("n", 1).put("why", "nothing").put("grade", 0).put("lines", "");
    }
    reply.put("answer", answer.toString().strip());
    if (wordsToo) {
      texts(reply.putArray("words"), answer.isEmpty() ? queries(key) : List.of());
    }
  }

  private void quote(KeyedQuestion key, List<String> messages, ArrayNode evidence) {
    boolean again = messages.getLast().startsWith("These quotes stand nowhere");
    for (String message : messages) {
      Shown shown = new Shown(message);
      for (Shown.Line line : shown.lines()) {
        if (evidence.size() >= MOST_QUOTES) {
          return;
        }
        if (!key.right(new Found(line.file(), line.number(), line.text()))) {
          continue;
        }
        switch (manner) {
          case COMPETENT -> shown.exact(line, evidence.addObject());
          case SLOPPY -> {
            if (again) {
              shown.exact(line, evidence.addObject());
            } else {
              shown.sloppy(line, evidence.addObject());
            }
          }
          case INVENTING -> {
            if (evidence.size() % 2 == 0) {
              invented(line, evidence.addObject());
            } else {
              shown.exact(line, evidence.addObject());
            }
          }
        }
      }
    }
  }

  /** In the words of a right line, which makes it right for the key, but not as it stands there. */
  private static void invented(Shown.Line line, ObjectNode quote) {
    quote
        .put("file", line.file())
        .put("first", line.number())
        .put("last", line.number() + 1)
        .put("text", "// always and under all circumstances: " + line.text().strip() + " // 42")
        .put("score", 10);
  }

  private void judge(KeyedQuestion key, String prompt, ObjectNode reply) {
    ArrayNode keep = reply.putArray("keep");
    List<Passage> right = passages(key, prompt);
    right.forEach(one -> keep.add(one.number()));
    ArrayNode gaps = reply.putArray("gaps");
    if (right.isEmpty()) {
      ObjectNode gap = gaps.addObject().put("question", "Where is what the question means?");
      texts(gap.putArray("queries"), queries(key));
    }
    if (manner == Manner.INVENTING) {
      keep.add(77).add(-1);
    }
  }

  private void compose(KeyedQuestion key, String prompt, ObjectNode reply) {
    List<Passage> right = passages(key, prompt);
    StringBuilder answer = new StringBuilder("It is done here");
    ArrayNode citations = JsonNodeFactory.instance.arrayNode();
    for (Passage one : right) {
      answer.append(" [").append(one.number()).append(']');
      citations.addObject().put("evidence", one.number());
    }
    if (manner == Manner.INVENTING) {
      answer.append(" and in Invented.java:42-43 [99]");
      citations.addObject().put("evidence", 99);
    }
    reply.put("answer", answer.append('.').toString()).set("citations", citations);
    reply.putArray("uncertain");
    reply.putArray("notRead");
  }

  private record Passage(int number) {}

  /** The passages of a prompt that have a right line, in their order. */
  private static List<Passage> passages(KeyedQuestion key, String prompt) {
    List<Passage> right = new ArrayList<>();
    Matcher at = null;
    StringBuilder text = new StringBuilder();
    for (String line : (prompt + "\n[0] end:0:").lines().toList()) {
      Matcher head = PASSAGE.matcher(line);
      if (head.matches()) {
        if (at != null && key.right(found(at.group(2), at.group(3), text.toString()))) {
          right.add(new Passage(Integer.parseInt(at.group(1))));
        }
        at = head;
        text.setLength(0);
      } else if (line.startsWith("> ")) {
        text.append(line.substring(2).replaceFirst("^\\d+\t", "")).append('\n');
      }
    }
    return right;
  }

  private static Found found(String file, String line, String text) {
    return new Found(file, Integer.parseInt(line), text);
  }

  private static void texts(ArrayNode into, List<String> texts) {
    texts.forEach(into::add);
  }

  static Set<String> asked(JsonNode schema) {
    Set<String> names = new LinkedHashSet<>();
    schema.path("properties").fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static final class Shown {

    record Line(String file, int number, String text) {}

    private final List<Line> lines = new ArrayList<>();

    Shown(String message) {
      String file = null;
      int number = 0;
      int last = 0;
      for (String text : message.lines().toList()) {
        Matcher header = number > last || file == null ? HEADER.matcher(text) : null;
        if (header != null && header.matches()) {
          file = header.group(1);
          number = Integer.parseInt(header.group(2));
          last = Integer.parseInt(header.group(3));
        } else if (file != null && number <= last) {
          lines.add(new Line(file, number, PageText.unnumbered(number, text)));
          number++;
        }
      }
    }

    List<Line> lines() {
      return lines;
    }

    void exact(Line line, ObjectNode quote) {
      int at = lines.indexOf(line);
      int first = at;
      int last = at;
      while (at - first < AROUND && first > 0 && follows(first)) {
        first--;
      }
      while (last - at < AROUND && last + 1 < lines.size() && follows(last + 1)) {
        last++;
      }
      quote
          .put("file", line.file())
          .put("first", lines.get(first).number())
          .put("last", lines.get(last).number())
          .put("text", line.text())
          .put("score", 9);
    }

    private boolean follows(int index) {
      Line one = lines.get(index);
      Line before = lines.get(index - 1);
      return one.file().equals(before.file()) && one.number() == before.number() + 1;
    }

    /** With other faults for other lines. */
    void sloppy(Line line, ObjectNode quote) {
      int at = lines.indexOf(line);
      String text = line.text().strip();
      int fault = Math.floorMod(line.text().hashCode(), 4);
      if (fault == 0 && at + 1 < lines.size() && follows(at + 1)) {
        text += " " + lines.get(at + 1).text().strip();
      } else if (fault == 1 && text.length() > LONG_ENOUGH_FOR_A_SLIP) {
        text = new StringBuilder(text).deleteCharAt(text.length() / 2).toString();
      } else if (fault == 2) {
        text = line.number() + "\t" + text.replaceAll("\\s+", "  ");
      }
      String name = line.file().substring(line.file().lastIndexOf('/') + 1);
      quote
          .put("file", fault == 3 ? ".../" + name : name)
          .put("first", Math.max(1, line.number() - 7))
          .put("last", Math.max(1, line.number() - 5))
          .put("text", text)
          .put("score", 8);
    }
  }
}
