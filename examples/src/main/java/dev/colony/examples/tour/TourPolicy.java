package dev.colony.examples.tour;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.examples.mapped.PiecewisePolicy;
import dev.colony.examples.mapped.Quotes;
import dev.colony.examples.tour.Tour.ReadFile;
import dev.colony.examples.tour.Tour.Sight;
import dev.colony.examples.tour.Tour.Stop;
import dev.colony.examples.tour.TourCapability.Part;
import dev.colony.library.source.SourceCapability;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.PageText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Guides through a tree: a stop for each part, the most central of its page graph first. At each
 * the model is shown the pages of the files that most others name, and says what the part is for
 * and what to see. The run's input has the fields {@code map}, {@code stops} and {@code judged},
 * false where no model is to be asked.
 */
@Registered(value = TourPolicy.TYPE, summary = "Guides through a source tree.")
public final class TourPolicy extends PiecewisePolicy {

  static final String TYPE = "example.tour.guide";

  private static final int STOPS = 8;
  private static final int PAGES = 2;
  private static final int READ = 3;
  private static final int DEFINES = 20;
  private static final int FILES = 6;
  private static final int HEAD_LINES = 120;
  private static final int REPLY_TOKENS = 1_200;
  private static final String PARTS = "parts";

  private static final String PREAMBLE =
      """
      You guide a programmer who is new to a program through its source. You are shown parts of \
      files, each under a line that names the file and its lines. Say of the part of the tree that \
      is asked about what it is for and how it works, in two to four sentences, from what you are \
      shown; then up to four lines that one should see to understand it, in the order in which to \
      read them: each with its file, its number, the line copied letter by letter, and why it is \
      worth a look. What you quote is held against the files, and what does not stand there is lost.\
      """;

  private static final JsonNode SCHEMA =
      parse(
          """
          {"type": "object",
           "properties": {
             "purpose": {"type": "string"},
             "see": {
               "type": "array",
               "maxItems": 4,
               "items": {
                 "type": "object",
                 "properties": {
                   "file": {"type": "string"},
                   "line": {"type": "integer"},
                   "text": {"type": "string"},
                   "why": {"type": "string"}
                 },
                 "required": ["file", "line", "text", "why"],
                 "additionalProperties": false
               }
             }
           },
           "required": ["purpose", "see"], "additionalProperties": false}
          """);

  public TourPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  protected Optional<Action> gather(ActionPolicyExecutionState state) {
    JsonNode input = state.request().input();
    String map = input.path("map").asText();
    Action parts =
        Action.of(
            PARTS,
            TourCapability.PARTS,
            Ref.verbatim(json(Map.of("map", map, "most", input.path("stops").asInt(STOPS)))));
    Optional<Action> next = untaken(state, List.of(parts));
    if (next.isPresent()) {
      return next;
    }
    List<Part> stops = stops(state);
    List<Action> files = new ArrayList<>();
    for (int i = 0; i < stops.size(); i++) {
      files.add(
          action(
              "files-" + i,
              SourceCapability.FILES,
              Map.of("glob", glob(stops.get(i).name()), "map", map, "limit", FILES)));
    }
    next = untaken(state, files);
    if (next.isPresent()) {
      return next;
    }
    List<Action> looks = new ArrayList<>();
    for (int i = 0; i < stops.size(); i++) {
      List<String> top = top(state, i);
      for (int k = 0; k < top.size(); k++) {
        looks.add(
            action(
                "outline-%d-%d".formatted(i, k),
                SourceCapability.OUTLINE,
                Map.of("file", top.get(k), "map", map, "limit", DEFINES)));
        looks.add(
            action(
                "head-%d-%d".formatted(i, k),
                SourceCapability.READ,
                Map.of("file", top.get(k), "map", map, "firstLine", 1, "lastLine", HEAD_LINES)));
      }
    }
    return untaken(state, looks);
  }

  private static Action action(String id, String key, Map<String, Object> params) {
    return Action.of(id, key, Ref.verbatim(json(params)));
  }

  /** Of a part that is only the files of a directory, those; else all below. */
  private static String glob(String part) {
    return part.isEmpty() ? "" : "./" + part + (part.endsWith("*") ? "" : "/**");
  }

  /** The files of a stop that most others name. */
  private List<String> top(ActionPolicyExecutionState state, int stop) {
    return result(state, "files-" + stop)
        .path("files")
        .valueStream()
        .map(file -> file.path("path").asText())
        .limit(READ)
        .toList();
  }

  /** All parts in the order of the tour. */
  private List<Part> parts(ActionPolicyExecutionState state) {
    return result(state, PARTS).valueStream().map(one -> read(one, Part.class)).toList();
  }

  private List<Part> stops(ActionPolicyExecutionState state) {
    List<Part> parts = parts(state);
    int most = state.request().input().path("stops").asInt(STOPS);
    return parts.subList(0, Math.min(most, parts.size()));
  }

  /** The pages that the model is shown at a stop: those of the files that most others name. */
  private List<PageId> pages(ActionPolicyExecutionState state, int stop) {
    return result(state, "files-" + stop)
        .path("files")
        .valueStream()
        .map(file -> new PageId(file.path("page").asText()))
        .distinct()
        .limit(PAGES)
        .toList();
  }

  @Override
  protected List<Piece> pieces(ActionPolicyExecutionState state) {
    List<Piece> pieces = new ArrayList<>();
    if (!state.request().input().path("judged").asBoolean(true)) {
      return pieces;
    }
    List<Part> stops = stops(state);
    for (int i = 0; i < stops.size(); i++) {
      Part stop = stops.get(i);
      String question =
          "The part: %s, %d files, most named by others: %s. It uses %s, and is used by %s."
              .formatted(
                  name(stop),
                  stop.files(),
                  String.join(", ", top(state, i)),
                  words(stop.leadsTo()),
                  words(stop.ledFrom()));
      pieces.add(
          new Piece(
              "stop-" + i,
              new ModelCall(
                  PREAMBLE, pages(state, i), question, Optional.of(SCHEMA), REPLY_TOKENS)));
    }
    return pieces;
  }

  private static String name(Part part) {
    return switch (part.name()) {
      case "" -> ".";
      case "*" -> "./*";
      default -> part.name();
    };
  }

  private static String words(List<String> parts) {
    return parts.isEmpty() ? "no other part" : String.join(", ", parts);
  }

  @Override
  protected JsonNode composed(
      ActionPolicyExecutionState state, Map<String, JsonNode> replies, Map<String, String> unread) {
    List<Part> parts = parts(state);
    List<Part> stops = stops(state);
    List<Stop> tour = new ArrayList<>();
    int dropped = 0;
    for (int i = 0; i < stops.size(); i++) {
      Part stop = stops.get(i);
      JsonNode reply = replies.get("stop-" + i);
      List<Sight> see = new ArrayList<>();
      if (reply != null) {
        see.addAll(sights(reply.path("see"), pages(state, i)));
        dropped += reply.path("see").size() - see.size();
      }
      tour.add(
          new Stop(
              name(stop),
              stop.share(),
              stop.files(),
              stop.lines(),
              reply == null ? "" : reply.path("purpose").asText(),
              see,
              files(state, i),
              stop.leadsTo(),
              stop.ledFrom()));
    }
    return json(
        new Tour(
            tour,
            parts.subList(stops.size(), parts.size()).stream().map(Part::name).toList(),
            dropped));
  }

  /** Those of the lines that the model quotes that stand on the pages which it was shown. */
  private List<Sight> sights(JsonNode said, List<PageId> pages) {
    List<Quotes.Line> lines = new ArrayList<>();
    for (VirtualContextPage page : agent().pages().pages(pages).toCompletableFuture().join()) {
      for (PageText.SegmentLines segment : PageText.segments(page)) {
        int number = segment.segment().firstLine();
        for (String text : segment.lines()) {
          lines.add(new Quotes.Line(segment.segment().file(), number++, text));
        }
      }
    }
    Quotes shown = new Quotes(lines);
    List<Sight> sights = new ArrayList<>();
    for (JsonNode one : said) {
      shown
          .find(one.path("file").asText(), one.path("line").asInt(), one.path("text").asText())
          .ifPresent(line ->
              sights.add(
                  new Sight(line.file(), line.number(), line.text(), one.path("why").asText())));
    }
    return sights;
  }

  private List<ReadFile> files(ActionPolicyExecutionState state, int stop) {
    List<ReadFile> files = new ArrayList<>();
    List<String> top = top(state, stop);
    for (int k = 0; k < top.size(); k++) {
      JsonNode head = result(state, "head-%d-%d".formatted(stop, k)).at("/spans/0/text");
      List<Sight> defines = new ArrayList<>();
      for (JsonNode span : result(state, "outline-%d-%d".formatted(stop, k)).path("spans")) {
        if (span.path("kind").asText().equals("type")) {
          defines.add(
              new Sight(
                  span.path("file").asText(),
                  span.path("firstLine").asInt(),
                  span.path("text").asText(),
                  ""));
        }
      }
      files.add(new ReadFile(top.get(k), FirstComment.of(head.asText("")), defines));
    }
    return files;
  }
}
