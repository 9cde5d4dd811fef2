package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.blackboard.value.Text;
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
 * Plays a model that knows a key which no prompt has: what it replies to the prompts of a reader is
 * right, or wrong in a certain manner, so that what a run makes of replies can be measured without
 * a model. It cites only what a prompt shows. The same prompt always gets the same reply.
 * Thread-safe.
 */
final class KeyedReader {

  private static final Pattern QUESTION = Pattern.compile("(?m)^Question: (.*)$");
  private static final Pattern PLACE = Pattern.compile("(?m)^\\[(\\d+)] (\\S+?):\\d+(?: .*)?$");
  private static final Pattern PASSAGE_READ = Pattern.compile("\\[(\\d+)] (.+?)(?:, .*)?");
  private static final Pattern NUMBERED = Pattern.compile("(\\d+)\t(.*)");
  private static final Pattern LINES = Pattern.compile("lines (\\d+)-(\\d+): .*");
  private static final Pattern LETTERS = Pattern.compile("[A-Za-z]{4,}");

  private static final int AROUND = 2;
  private static final int MOST_CHOSEN = 8;

  /** Calls of one turn. */
  private static final int MOST_CALLS = 4;

  /** Of a search that a reply asks for, as the prompts bound it. */
  private static final int WORDS_CHARS = 80;

  /** One question in this many is not understood before a first round has been read. */
  private static final int LATE = 3;

  /** How a scripted reader answers. */
  enum Manner {
    /** As the key has it: right words, right places, right lines; a second round where needed. */
    COMPETENT,
    /**
     * The same with JSON in a fence, lines in words, paths for numbers, and calls that lack some.
     */
    SLOPPY,
    /** Chooses and cites what there is not. */
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
   * @param prompt the last message
   */
  String reply(String prompt, Set<String> asked) {
    KeyedQuestion key = key(prompt);
    ObjectNode reply = JsonNodeFactory.instance.objectNode();
    if (key == null) {
      return reply.toString();
    }
    if (asked.contains("ids")) {
      choose(key, prompt, reply, asked.contains("words"));
    } else if (asked.contains("passages")) {
      read(key, prompt, reply, asked.contains("words"));
    }
    return manner == Manner.SLOPPY
        ? "Here is my reply:\n```json\n" + reply.toPrettyString() + "\n```\n"
        : reply.toString();
  }

  private KeyedQuestion key(String prompt) {
    return QUESTION
        .matcher(prompt)
        .results()
        .map(one -> one.group(1).strip())
        .reduce((a, b) -> b)
        .map(keys::get)
        .orElse(null);
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
    while (place.find() && ids.size() < MOST_CHOSEN) {
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

  /** A line that a conversation has shown, with its text, or a place that it has named. */
  private record Shown(String number, String file, int first, int last, Optional<String> text) {

    static List<Shown> of(List<String> messages) {
      List<Shown> all = new ArrayList<>();
      String number = "";
      String file = "";
      for (String line : String.join("\n", messages).lines().toList()) {
        Matcher head = PASSAGE_READ.matcher(line);
        Matcher text = NUMBERED.matcher(line);
        Matcher place = LINES.matcher(line);
        if (head.matches()) {
          number = head.group(1);
          file = head.group(2);
        } else if (text.matches()) {
          int at = Integer.parseInt(text.group(1));
          all.add(new Shown(number, file, at, at, Optional.of(text.group(2))));
        } else if (place.matches()) {
          int first = Integer.parseInt(place.group(1));
          int last = Integer.parseInt(place.group(2));
          all.add(new Shown(number, file, first, last, Optional.empty()));
        }
      }
      return all;
    }
  }

  /**
   * The next message of a conversation in which it may call tools: calls as long as it has seen no
   * right line and knows where to look, then an answer.
   *
   * @param messages all but those of the system, in their order
   * @param made the names and arguments of the calls so far
   */
  ObjectNode look(List<String> messages, Set<String> made) {
    ObjectNode message = JsonNodeFactory.instance.objectNode().put("role", "assistant");
    KeyedQuestion key = key(messages.getFirst());
    List<Shown> shown = Shown.of(messages);
    List<Shown> right =
        key == null
            ? List.of()
            : shown.stream()
                .filter(one ->
                    one.text()
                        .filter(text -> key.right(new Found(one.file(), one.first(), text)))
                        .isPresent())
                .toList();
    List<ObjectNode> calls =
        key == null || !right.isEmpty() && !(late(key) && made.isEmpty())
            ? List.of()
            : next(key, shown, made);
    calls.forEach(message.putArray("tool_calls")::add);
    return message.put(
        "content",
        !calls.isEmpty()
            ? ""
            : right.isEmpty()
                ? "NOT FOUND"
                : right.stream()
                    .limit(MOST_CHOSEN)
                    .map(this::cited)
                    .distinct()
                    .collect(Collectors.joining(" ")));
  }

  private String cited(Shown line) {
    int at = manner == Manner.INVENTING ? line.first() + 5_000 : line.first();
    String file = manner == Manner.SLOPPY ? line.file() : line.number();
    return "It is done here [%s:%d-%d].".formatted(file, Math.max(1, at - AROUND), at + AROUND);
  }

  /** Those of the calls that help most and were not made. */
  private List<ObjectNode> next(KeyedQuestion key, List<Shown> shown, Set<String> made) {
    List<List<ObjectNode>> ways = new ArrayList<>();
    if (manner == Manner.SLOPPY) {
      ways.add(List.of(call("read", "file", "1"), call("look_up")));
    }
    if (late(key)) {
      ways.add(List.of(call("search", "words", "manager util")));
    }
    ways.add(
        shown.stream()
            .filter(one -> one.text().isEmpty() && key.right(one.file()))
            .map(
                one -> call("read", "file", one.number(), "first", one.first(), "last", one.last()))
            .toList());
    ways.add(queries(key).stream().map(words -> call("search", "words", words)).toList());
    List<ObjectNode> files = new ArrayList<>();
    rightFiles
        .apply(key.question())
        .forEach((file, lines) -> {
          String name = file.substring(file.lastIndexOf('/') + 1);
          files.add(call("definition", "symbol", name.replaceFirst("\\.\\w+$", "")));
          IntStream.range(0, lines.size())
              .filter(at -> key.right(new Found(file, at + 1, lines.get(at))))
              .limit(1)
              .forEach(at ->
                  files.add(
                      call(
                          "grep",
                          "pattern",
                          String.join(".*", letters(lines.get(at))),
                          "files",
                          name)));
        });
    ways.add(files);
    return ways.stream()
        .map(way -> way.stream().filter(call -> !made.contains(call.toString())).toList())
        .filter(way -> !way.isEmpty())
        .findFirst()
        .map(way -> way.subList(0, Math.min(MOST_CALLS, way.size())))
        .orElse(List.of());
  }

  private static List<String> letters(String line) {
    return LETTERS.matcher(line).results().limit(4).map(word -> word.group()).toList();
  }

  private static ObjectNode call(String tool, Object... arguments) {
    ObjectNode call = JsonNodeFactory.instance.objectNode().put("name", tool);
    ObjectNode all = call.putObject("arguments");
    for (int i = 0; i < arguments.length; i += 2) {
      String name = arguments[i].toString();
      if (arguments[i + 1] instanceof Integer number) {
        all.put(name, number);
      } else {
        all.put(name, arguments[i + 1].toString());
      }
    }
    return call;
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
}
