package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.Agent;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.library.page.MappedFiles;
import dev.colony.library.page.Spans;
import dev.colony.library.page.Spans.Span;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.ReaderCapability.Place;
import dev.colony.library.research.ReaderPrompts.Passage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tools with which a model looks into the files of a map. What they find depends on the map
 * alone, so that a look that is made again after a crash shows the same.
 */
final class LookTools {

  private static final int MOST_PLACES = 12;
  private static final int MOST_MATCHES = 30;
  private static final int MOST_DEFINITIONS = 3;

  /** Lines of one reading at most. */
  private static final int MOST_LINES = 100;

  private static final int MOST_LINE_NUMBER = 9_999_999;
  private static final int TEXT_CHARS = 200;
  private static final int WHY_CHARS = 300;

  private static final String WORDS = "words";
  private static final String PATTERN = "pattern";
  private static final String FILES = "files";
  private static final String FILE = "file";
  private static final String FIRST = "first";
  private static final String LAST = "last";
  private static final String SYMBOL = "symbol";
  private static final Set<String> NUMBERS = Set.of(FIRST, LAST);

  /** A tool, its arguments in the order in which they stand, the optional ones last. */
  private enum Look {
    SEARCH(
        "Finds places in all files by words that the files would use, best first. It names places"
            + " and shows no lines: read those that look right.",
        1,
        WORDS),
    GREP(
        "Shows the lines that a regular expression (RE2) fits, at most %d. \"files\" says which"
                .formatted(MOST_MATCHES)
            + " files, as in *.java or src/main; without it all.",
        1,
        PATTERN,
        FILES),
    READ(
        "Shows lines of a file, at most %d. \"file\" is its path or its number."
            .formatted(MOST_LINES),
        3,
        FILE,
        FIRST,
        LAST),
    DEFINITION(
        "Shows where a class, function, constant or setting is defined, with comment and body."
            + " \"symbol\" is its name, as in merge or Tree.merge.",
        1,
        SYMBOL),
    USAGES("Shows the lines where a name is used, calls first.", 1, SYMBOL);

    private final List<String> required;
    private final Tool tool;

    Look(String description, int required, String... arguments) {
      this.required = List.of(arguments).subList(0, required);
      ObjectNode properties = JsonNodeFactory.instance.objectNode();
      for (String one : arguments) {
        ObjectNode argument = properties.putObject(one);
        if (NUMBERS.contains(one)) {
          argument.put("type", "integer").put("minimum", 1).put("maximum", MOST_LINE_NUMBER);
        } else {
          ReaderPrompts.text(argument, TEXT_CHARS);
        }
      }
      ObjectNode schema = ReaderPrompts.object(properties);
      this.required.forEach(schema.putArray("required")::add);
      tool = new Tool(name().toLowerCase(Locale.ROOT), description, schema);
    }

    /** Whether arguments are as they have to be. */
    private boolean takes(JsonNode arguments) {
      return required.stream()
              .allMatch(one ->
                  NUMBERS.contains(one)
                      ? arguments.path(one).asInt(0) > 0
                      : !arguments.path(one).asText("").isBlank())
          && arguments
              .valueStream()
              .allMatch(one -> one.isValueNode() && one.asText().length() <= TEXT_CHARS);
    }
  }

  static final List<Tool> ALL = Arrays.stream(Look.values()).map(look -> look.tool).toList();

  /** Lines of one file, where several have some. */
  private static final int MOST_OF_FILE = 10;

  private static final Pattern NUMBER = Pattern.compile("\\[?(\\d{1,3})]?");

  /** What a call has found. */
  sealed interface Found {

    record Places(List<Place> places) implements Found {}

    /** Of each file so many lines are shown at most. */
    record Lines(Spans of, int ofFile) implements Found {}

    /** Why, and what to do, on one line. */
    record Nothing(String why) implements Found {}
  }

  private final Agent agent;
  private final String map;
  private final MappedFiles files;

  LookTools(Agent agent, String map, MappedFiles files) {
    this.agent = agent;
    this.map = map;
    this.files = files;
  }

  /**
   * Makes calls, all at the same time; returns when all have ended.
   *
   * @param numbered the paths of the files that the model knows by number
   */
  List<Found> look(List<ToolCall> calls, List<String> numbered) throws InterruptedException {
    List<Found> found = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Found> one :
          threads.invokeAll(
              calls.stream().<Callable<Found>>map(call -> () -> look(call, numbered)).toList())) {
        found.add(one.get());
      }
      return found;
    } catch (ExecutionException failed) {
      throw new IllegalStateException(failed.getCause());
    }
  }

  private Found look(ToolCall call, List<String> numbered) {
    Optional<Look> look =
        Arrays.stream(Look.values()).filter(one -> one.tool.name().equals(call.name())).findFirst();
    if (look.isEmpty()) {
      String all = ALL.stream().map(Tool::name).collect(Collectors.joining(", "));
      return new Found.Nothing("there is no tool of this name: call one of " + all);
    }
    if (!look.get().takes(call.arguments())) {
      return new Found.Nothing(
          "it needs %s, each of at most %d characters: call it again with them"
              .formatted(String.join(", ", look.get().required), TEXT_CHARS));
    }
    try {
      return look(look.get(), call.arguments(), numbered);
    } catch (AgentException refused) {
      return new Found.Nothing(Text.line(refused.getMessage(), WHY_CHARS));
    }
  }

  private Found look(Look look, JsonNode arguments, List<String> numbered) {
    String symbol = arguments.path(SYMBOL).asText();
    return switch (look) {
      case SEARCH -> {
        List<String> words = List.of(arguments.path(WORDS).asText());
        List<Place> places = ReaderCapability.places(agent, map, words, MOST_PLACES);
        yield places.isEmpty()
            ? new Found.Nothing("no passage has one of these words: try others")
            : new Found.Places(places);
      }
      case GREP -> {
        String glob = arguments.path(FILES).asText("");
        Spans lines = files.grep(arguments.path(PATTERN).asText(), glob, false, 0, MOST_MATCHES);
        yield spread(lines, lines.note().isEmpty() ? "no line fits: try less" : lines.note());
      }
      case READ -> {
        int first = arguments.path(FIRST).asInt();
        int last = Math.min(arguments.path(LAST).asInt(), first + MOST_LINES - 1);
        Spans lines = files.read(path(arguments.path(FILE).asText(), numbered), first, last);
        yield lines(lines, "there are no such lines: " + lines.note());
      }
      case DEFINITION ->
          lines(
              files.definition(symbol, MOST_DEFINITIONS),
              "no line looks like a definition of it: try grep");
      case USAGES -> spread(files.usages(symbol, MOST_MATCHES), "it is used nowhere: try grep");
    };
  }

  private static Found lines(Spans spans, String none) {
    return spans.spans().isEmpty()
        ? new Found.Nothing(none)
        : new Found.Lines(spans, Integer.MAX_VALUE);
  }

  /** A few lines of each file where several have some. */
  private static Found spread(Spans spans, String none) {
    long inFiles =
        Stream.concat(spans.spans().stream().map(Span::file), spans.others().keySet().stream())
            .distinct()
            .count();
    return inFiles > 1 ? new Found.Lines(spans, MOST_OF_FILE) : lines(spans, none);
  }

  private static String path(String file, List<String> numbered) {
    Matcher number = NUMBER.matcher(file.strip());
    int at = number.matches() ? Integer.parseInt(number.group(1)) - 1 : -1;
    return at >= 0 && at < numbered.size() ? numbered.get(at) : file;
  }

  /**
   * What a model has been shown: files by their numbers, from 1 in the order in which they came,
   * and lines of them.
   */
  static final class Shown {

    /** A longer line is cut where it is shown. */
    private static final int LINE_CHARS = 300;

    private final Map<String, TreeMap<Integer, String>> lines = new LinkedHashMap<>();

    /** The paths of the files, the first of them has number 1. */
    List<String> files() {
      return List.copyOf(lines.keySet());
    }

    /** As an answer can cite them: each line of a file that was shown, without its text. */
    List<Passage> passages() {
      List<Passage> all = new ArrayList<>();
      lines.forEach(
          (file, some) -> all.add(new Passage(new Place(file, 1, 1, 0, "", "", ""), some)));
      return all;
    }

    private String head(String file) {
      int at = files().indexOf(file);
      return "[%d] %s\n".formatted(at < 0 ? lines.size() + 1 : at + 1, file);
    }

    /** What was found as the model is shown it, in no more tokens than there is room for. */
    String show(Found found, long room) {
      return switch (found) {
        case Found.Places places -> places(places.places(), room);
        case Found.Lines some -> lines(some, room);
        case Found.Nothing nothing -> nothing.why() + "\n";
      };
    }

    /** Places by their files, those first whose file is best. */
    private String places(List<Place> places, long room) {
      Map<String, List<Place>> byFile = new LinkedHashMap<>();
      places.forEach(one -> byFile.computeIfAbsent(one.file(), file -> new ArrayList<>()).add(one));
      StringBuilder text = new StringBuilder();
      for (Map.Entry<String, List<Place>> file : byFile.entrySet()) {
        if (PromptFit.tokens(text.toString()) > room) {
          break;
        }
        text.append(head(file.getKey()));
        lines.computeIfAbsent(file.getKey(), path -> new TreeMap<>());
        for (Place one : file.getValue()) {
          text.append(
                  "lines %d-%d: %s"
                      .formatted(
                          one.firstLine(),
                          one.lastLine(),
                          (one.symbol() + "  " + one.label()).strip()))
              .append('\n');
        }
      }
      return text.toString();
    }

    private String lines(Found.Lines found, long room) {
      StringBuilder text = new StringBuilder();
      Map<String, Integer> ofFile = new HashMap<>();
      String file = "";
      long used = 0;
      int left = found.of().leftOut();
      for (Span span : found.of().spans()) {
        int number = span.firstLine();
        for (String line : span.text().split("\n", -1)) {
          String shown =
              (span.file().equals(file) ? "" : head(span.file()))
                  + "%d\t%s\n".formatted(number, Text.head(line, LINE_CHARS));
          used += PromptFit.tokens(shown);
          if (used > room || ofFile.merge(span.file(), 1, Integer::sum) > found.ofFile()) {
            left++;
          } else {
            file = span.file();
            text.append(shown);
            lines.computeIfAbsent(file, path -> new TreeMap<>()).put(number, "");
          }
          number++;
        }
      }
      return left == 0 ? text.toString() : text + "(%d more are not shown)\n".formatted(left);
    }
  }
}
