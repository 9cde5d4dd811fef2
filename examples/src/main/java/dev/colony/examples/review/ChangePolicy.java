package dev.colony.examples.review;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.examples.mapped.PiecewisePolicy;
import dev.colony.examples.mapped.Quotes;
import dev.colony.examples.review.ChangeInput.Changed;
import dev.colony.examples.review.ChangeReport.Finding;
import dev.colony.examples.review.ChangeReport.NotReviewed;
import dev.colony.examples.review.ChangeReport.Severity;
import dev.colony.examples.review.ChangeReport.Use;
import dev.colony.library.source.SourceCapability;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reviews a change: finds what it changes and where that is used besides, applies rules that have a
 * pattern, and has the model hold the files against all rules. The run's input is a {@link
 * ChangeInput}.
 */
@Registered(value = ChangePolicy.TYPE, summary = "Reviews a change against rules.")
public final class ChangePolicy extends PiecewisePolicy {

  static final String TYPE = "example.change-review";

  private static final int PIECE_CHARS = 12_000;
  private static final int OUTLINED = 30;
  private static final int SYMBOLS = 12;
  private static final int USES = 5;

  /** A name that stands in more lines means many things. */
  private static final int MOST_USES = 60;

  private static final int REPLY_TOKENS = 2_000;

  private static final String PREAMBLE =
      """
      You review changes to a program against rules. A change is shown file by file, each line \
      behind a mark and its number: + was added, - was taken away, a line without a mark is as it \
      was. Report lines that break a rule, with the rule's number, the file, the line's number, the \
      line copied letter by letter without mark and number, what is wrong in one sentence that says \
      what happens, and how much it matters. What you quote is held against the change, and what \
      does not stand there is lost. Report what the change does, not what was there before. An \
      empty list is a good answer: report nothing that you cannot show.\
      """;

  private static final JsonNode SCHEMA =
      parse(
          """
          {"type": "object",
           "properties": {
             "findings": {
               "type": "array",
               "items": {
                 "type": "object",
                 "properties": {
                   "rule": {"type": "integer"},
                   "file": {"type": "string"},
                   "line": {"type": "integer"},
                   "text": {"type": "string"},
                   "problem": {"type": "string"},
                   "severity": {"type": "string", "enum": ["low", "medium", "high"]}
                 },
                 "required": ["rule", "file", "line", "text", "problem", "severity"],
                 "additionalProperties": false
               }
             }
           },
           "required": ["findings"], "additionalProperties": false}
          """);

  public ChangePolicy(PolicyContext context) {
    super(context);
  }

  /** A part of the change that one call of the model sees. */
  private record Part(String name, String text, List<Quotes.Line> lines, Set<String> files) {}

  /** A symbol that the change touches, and where. */
  private record Touched(String symbol, String file) {}

  private static ChangeInput input(ActionPolicyExecutionState state) {
    return read(state.request().input(), ChangeInput.class);
  }

  @Override
  protected Optional<Action> gather(ActionPolicyExecutionState state) {
    ChangeInput input = input(state);
    List<Action> outlines = new ArrayList<>();
    List<Changed> there =
        input.files().stream().filter(file -> !file.what().equals("D")).limit(OUTLINED).toList();
    for (Changed file : there) {
      outlines.add(
          action(
              "outline-" + outlines.size(),
              SourceCapability.OUTLINE,
              Map.of("file", file.path(), "map", input.map(), "limit", 1_000)));
    }
    Optional<Action> next = untaken(state, outlines);
    if (next.isPresent()) {
      return next;
    }
    List<Action> usages = new ArrayList<>();
    for (Touched one : touched(state, there)) {
      usages.add(
          action(
              "usages-" + usages.size(),
              SourceCapability.USAGES,
              Map.of("symbol", one.symbol(), "map", input.map(), "limit", 200)));
    }
    return untaken(state, usages);
  }

  private static Action action(String id, String key, Map<String, Object> params) {
    return Action.of(id, key, Ref.verbatim(json(params)));
  }

  /** The innermost definitions of the lines that changed. */
  private List<Touched> touched(ActionPolicyExecutionState state, List<Changed> there) {
    Map<String, Touched> touched = new LinkedHashMap<>();
    for (int i = 0; i < there.size(); i++) {
      Changed file = there.get(i);
      if (file.what().equals("A")) {
        continue;
      }
      JsonNode outline = result(state, "outline-" + i).path("spans");
      for (Quotes.Line line : lines(file, "+-")) {
        JsonNode innermost = null;
        for (JsonNode span : outline) {
          if (span.path("firstLine").asInt() <= line.number()
              && line.number() <= span.path("lastLine").asInt()) {
            innermost = span;
          }
        }
        String name = innermost == null ? "" : name(innermost.path("text").asText());
        if (!name.isEmpty() && touched.size() < SYMBOLS) {
          touched.putIfAbsent(name, new Touched(name, file.path()));
        }
      }
    }
    return List.copyOf(touched.values());
  }

  /** The name in a line that defines something: before its bracket, or after its keyword. */
  private static String name(String line) {
    Matcher called = Pattern.compile("([A-Za-z_$][\\w$]*)\\s*(?:<[^<>(]*>)?\\(").matcher(line);
    Matcher typed =
        Pattern.compile(
                "\\b(?:class|interface|enum|record|struct|trait|object|type|def|fn|func|fun)\\s+"
                    + "([A-Za-z_$][\\w$]*)")
            .matcher(line);
    return typed.find() ? typed.group(1) : called.find() ? called.group(1) : "";
  }

  /** The lines of a file that have one of the marks. */
  private static List<Quotes.Line> lines(Changed file, String marks) {
    List<Quotes.Line> lines = new ArrayList<>();
    for (List<String> hunk : file.hunks()) {
      for (String line : hunk) {
        int blank = line.indexOf(' ', 1);
        if (marks.indexOf(line.charAt(0)) >= 0) {
          lines.add(
              new Quotes.Line(
                  file.path(),
                  Integer.parseInt(line.substring(1, blank)),
                  line.substring(blank + 1)));
        }
      }
    }
    return lines;
  }

  /** The change in parts that a model can look at; a hunk is not cut. */
  private static List<Part> parts(ChangeInput input) {
    List<Part> parts = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    List<Quotes.Line> shown = new ArrayList<>();
    Set<String> files = new HashSet<>();
    for (Changed file : input.files()) {
      String path = "";
      for (List<String> hunk : file.hunks()) {
        String lines = String.join("\n", hunk);
        if (text.length() + lines.length() > PIECE_CHARS && !shown.isEmpty()) {
          parts.add(
              new Part(
                  "part-" + parts.size(), text.toString(), List.copyOf(shown), Set.copyOf(files)));
          text = new StringBuilder();
          shown.clear();
          files.clear();
          path = "";
        }
        if (!path.equals(file.path())) {
          path = file.path();
          text.append("--- ").append(path).append(' ').append(word(file.what())).append('\n');
        }
        text.append(lines).append("\n...\n");
        files.add(path);
        shown.addAll(lines(new Changed(path, file.what(), List.of(hunk)), "+- "));
      }
    }
    if (!shown.isEmpty()) {
      parts.add(
          new Part("part-" + parts.size(), text.toString(), List.copyOf(shown), Set.copyOf(files)));
    }
    return parts;
  }

  private static String word(String what) {
    return switch (what) {
      case "A" -> "(new)";
      case "D" -> "(deleted)";
      case "R" -> "(renamed)";
      case "C" -> "(copied)";
      default -> "(changed)";
    };
  }

  @Override
  protected List<Piece> pieces(ActionPolicyExecutionState state) {
    ChangeInput input = input(state);
    if (!input.judged()) {
      return List.of();
    }
    StringBuilder rules = new StringBuilder("The rules:\n");
    for (int i = 0; i < input.rules().size(); i++) {
      rules.append(i + 1).append(". ").append(input.rules().get(i)).append('\n');
    }
    List<Use> elsewhere = elsewhere(state, input);
    return parts(input).stream()
        .map(part -> {
          StringBuilder text =
              new StringBuilder(rules).append("\nThe change:\n").append(part.text());
          List<Use> uses =
              elsewhere.stream().filter(use -> part.files().contains(use.changedIn())).toList();
          if (!uses.isEmpty()) {
            text.append("\nUsed outside of the change:\n");
            uses.forEach(use ->
                text.append(
                    "%s of %s: %s\n".formatted(use.symbol(), use.changedIn(), use.place())));
          }
          return new Piece(
              part.name(),
              new ModelCall(
                  PREAMBLE, List.of(), text.toString(), Optional.of(SCHEMA), REPLY_TOKENS));
        })
        .toList();
  }

  /** A few usages of each symbol that the change touches, in files that it does not. */
  private List<Use> elsewhere(ActionPolicyExecutionState state, ChangeInput input) {
    List<Changed> there =
        input.files().stream().filter(file -> !file.what().equals("D")).limit(OUTLINED).toList();
    Set<String> changed = new HashSet<>();
    input.files().forEach(file -> changed.add(file.path()));
    List<Use> elsewhere = new ArrayList<>();
    List<Touched> touched = touched(state, there);
    for (int i = 0; i < touched.size(); i++) {
      JsonNode usages = result(state, "usages-" + i);
      if (usages.path("found").asInt() > MOST_USES) {
        continue;
      }
      int found = 0;
      for (JsonNode span : usages.path("spans")) {
        String file = span.path("file").asText();
        if (!changed.contains(file)
            && !span.path("kind").asText().equals("comment")
            && found++ < USES) {
          elsewhere.add(
              new Use(
                  touched.get(i).symbol(),
                  touched.get(i).file(),
                  file + ":" + span.path("firstLine").asInt()));
        }
      }
    }
    return elsewhere;
  }

  @Override
  protected JsonNode composed(
      ActionPolicyExecutionState state, Map<String, JsonNode> replies, Map<String, String> unread) {
    ChangeInput input = input(state);
    Map<String, Finding> findings = new LinkedHashMap<>();
    byPattern(input).forEach(one -> findings.put(key(one), one));
    Map<String, Part> parts = new HashMap<>();
    parts(input).forEach(part -> parts.put(part.name(), part));
    int dropped = 0;
    for (Map.Entry<String, JsonNode> reply : replies.entrySet()) {
      Quotes shown = new Quotes(parts.get(reply.getKey()).lines());
      for (JsonNode said : reply.getValue().path("findings")) {
        Optional<Finding> finding = finding(said, shown, input.rules().size());
        finding.ifPresent(one -> findings.putIfAbsent(key(one), one));
        dropped += finding.isPresent() ? 0 : 1;
      }
    }
    List<NotReviewed> left = new ArrayList<>();
    unread.forEach((name, why) ->
        parts.get(name).files().stream()
            .sorted()
            .forEach(file -> left.add(new NotReviewed(file, why))));
    return json(
        new ChangeReport(
            "",
            input.rules(),
            input.judged(),
            findings.values().stream()
                .sorted(
                    Comparator.comparing(Finding::severity)
                        .thenComparing(Finding::file)
                        .thenComparingInt(Finding::line))
                .toList(),
            input.files().size() - (int) left.stream().map(NotReviewed::file).distinct().count(),
            left,
            elsewhere(state, input),
            dropped));
  }

  private static String key(Finding finding) {
    return "%s:%d %d".formatted(finding.file(), finding.line(), finding.rule());
  }

  private static List<Finding> byPattern(ChangeInput input) {
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < input.rules().size(); i++) {
      Rules.Rule rule = Rules.rule(input.rules().get(i));
      for (Changed file : rule.pattern().isPresent() ? input.files() : List.<Changed>of()) {
        for (Quotes.Line line : lines(file, "+")) {
          if (rule.pattern().get().matcher(line.text()).find()) {
            findings.add(
                new Finding(
                    file.path(),
                    line.number(),
                    i + 1,
                    Severity.MEDIUM,
                    "the line fits the rule's pattern",
                    line.text(),
                    "pattern"));
          }
        }
      }
    }
    return findings;
  }

  private static Optional<Finding> finding(JsonNode said, Quotes shown, int rules) {
    int rule = said.path("rule").asInt();
    if (rule < 1 || rule > rules) {
      return Optional.empty();
    }
    return shown
        .find(said.path("file").asText(), said.path("line").asInt(), said.path("text").asText())
        .map(line ->
            new Finding(
                line.file(),
                line.number(),
                rule,
                Severity.valueOf(said.path("severity").asText().toUpperCase(Locale.ROOT)),
                said.path("problem").asText(),
                line.text(),
                "model"));
  }
}
