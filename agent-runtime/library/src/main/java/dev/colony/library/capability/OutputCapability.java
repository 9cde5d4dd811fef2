package dev.colony.library.capability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.Text;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What an agent produces for others: artifacts on the blackboard, {@code output:{name}} for the
 * newest version of each, {@code output:{name}:v{n}} for the last ones before it, and {@code
 * artifact:{name}}, which there are. Where the capability stands in a scope that agents share, they
 * share its artifacts. A write is one version, as long as that is kept, however often its action is
 * executed.
 */
@Registered(
    value = "output",
    namespace = OutputCapability.NAMESPACE,
    summary = "Named artifacts with versions, formats and reports.")
public final class OutputCapability extends AgentCapability {

  /** The part of an agent's scope in which its artifacts stand. */
  static final String NAMESPACE = "output";

  private static final String PREFIX = "output:";

  /** What versions of an artifact there are. */
  private static final String INDEX = "artifact:";

  private static final String COUNT = "artifacts";

  private static final int PAGE = 500;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._~-]{1,128}");
  private static final Pattern MEDIA_TYPE = Pattern.compile("[a-z0-9.+-]{1,64}/[a-z0-9.+-]{1,64}");
  private static final Pattern CITATION = Pattern.compile("\\[([A-Za-z0-9._~-]{1,128})\\](?!\\()");

  private static final String REPORTER =
      """
      You write a report in Markdown from sources. Behind each statement you cite the sources that \
      it rests on by their names in square brackets, as in [notes]. Begin with the title as a \
      heading; do not list the sources at the end.\
      """;

  private final Args args;

  /**
   * What is kept.
   *
   * @param keepVersions of each artifact besides the newest
   * @param maxChars of one artifact's content, as JSON text
   * @param maxArtifacts names in the scope; one more is refused
   */
  public record Args(
      @Range(min = 0, max = 1000) int keepVersions,
      @Range(min = 16, max = 10_000_000) int maxChars,
      @Range(min = 1, max = 10_000) int maxArtifacts) {

    /** Ten earlier versions of a million characters, a thousand artifacts. */
    public static final Args DEFAULT = new Args(10, 1_000_000, 1_000);
  }

  /**
   * An artifact, without its content.
   *
   * @param version 1 for the first
   */
  public record Artifact(String name, int version, String mediaType, int chars, Instant at) {}

  record Stored(int version, String mediaType, JsonNode content) {}

  /**
   * A version in an artifact's list.
   *
   * @param key of the action that wrote it
   */
  record Version(int version, String mediaType, int chars, Instant at, String key) {

    Artifact of(String name) {
      return new Artifact(name, version, mediaType, chars, at);
    }
  }

  /**
   * The versions of an artifact that are kept.
   *
   * @param kept the newest last; at least one
   */
  record Versions(List<Version> kept) {

    Version newest() {
      return kept.getLast();
    }

    Optional<Version> writtenBy(String key) {
      return kept.stream().filter(one -> one.key().equals(key)).findFirst();
    }

    Optional<Version> number(int wanted) {
      return kept.stream().filter(one -> one.version() == wanted).findFirst();
    }
  }

  record Content(Artifact artifact, JsonNode content) {}

  /** A report and where it stands. */
  record Report(Artifact artifact, List<String> cited, String text) {}

  public OutputCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
  }

  /** In the agent's own scope, in the namespace {@code output}. */
  public static CapabilityBlueprint bind() {
    return CapabilityBlueprint.of(Blueprint.bind(OutputCapability.class, Args.DEFAULT))
        .namespace(NAMESPACE);
  }

  @ActionExecutor(
      key = "output_write",
      summary =
          "Writes a named artifact for others to read; a name that is there gets a new version.",
      tags = "output",
      writes = "artifact")
  Artifact write(
      @Param("names the artifact: 1 to 128 of A-Z a-z 0-9 . _ ~ -") String name,
      @Param("text, or any JSON") JsonNode content,
      @Param("as in text/markdown; text/plain or application/json if absent")
          Optional<String> mediaType,
      IdempotencyKey key) {
    String type =
        mediaType.orElse(content.isTextual() ? "text/plain" : OutputFormat.JSON.mediaType());
    if (!MEDIA_TYPE.matcher(type).matches()) {
      throw AgentException.refused("this is no media type: " + Text.line(type, 100));
    }
    return store(name(name), content, type, key.value());
  }

  @ActionExecutor(
      key = "output_read",
      summary = "Reads an artifact by its name, its newest version or an earlier one.",
      tags = "output")
  Content read(
      @Param("the artifact's name") String name,
      @Param("an earlier version; the newest if absent") @Range(min = 1)
          Optional<Integer> version) {
    Optional<Versions> versions = versions(name(name));
    Version wanted =
        version
            .map(number -> versions.flatMap(all -> all.number(number)))
            .orElseGet(() -> versions.map(Versions::newest))
            .orElseThrow(() ->
                AgentException.refused(
                    "there is no artifact "
                        + name
                        + version.map(number -> " of version " + number).orElse("")));
    return new Content(wanted.of(name), content(name, wanted));
  }

  @ActionExecutor(
      key = "output_list",
      summary = "Lists the artifacts with their newest versions.",
      tags = "output")
  List<Artifact> list() {
    return Await.result(blackboard().queryAll(Query.keys(INDEX + "*").limit(PAGE))).stream()
        .map(entry -> entry.as(Versions.class).newest().of(entry.key().substring(INDEX.length())))
        .toList();
  }

  @ActionExecutor(
      key = "output_format",
      summary =
          "Writes a value as text: indented JSON, lines, a Markdown list or table, or CSV. Tables "
              + "are made of lists of objects.",
      tags = "output",
      writes = "formatted")
  String format(
      @Param("the value, a reference such as $results.a1 for a result") JsonNode value,
      @Param("the format") OutputFormat format) {
    try {
      return format.write(value);
    } catch (IllegalArgumentException unfit) {
      throw new AgentException(unfit.getMessage(), unfit, false);
    }
  }

  @ActionExecutor(
      key = "report_generate",
      summary =
          "Writes a Markdown report from named sources, by one model call, with citations of the "
              + "sources, and keeps it as an artifact.",
      tags = "output",
      writes = "report")
  Report report(
      @Param("names the artifact: 1 to 128 of A-Z a-z 0-9 . _ ~ -") String name,
      @Param("the title") String title,
      @Param("what the report is to tell, and to which reader") String purpose,
      @Param(
              "the sources by the names that they are cited by: text or JSON, references such as"
                  + " $results.a1 for results")
          @Range(min = 1, max = 50)
          Map<String, JsonNode> sources,
      IdempotencyKey key) {
    name(name);
    sources.keySet().forEach(OutputCapability::name);
    Optional<Version> known = versions(name).flatMap(all -> all.writtenBy(key.value()));
    String text =
        known
            .map(one -> content(name, one).asText())
            .orElseGet(() -> {
              String written =
                  new Inquiry(
                          REPORTER,
                          sources,
                          "Title: " + title + "\nThe report is to tell: " + purpose)
                      .askText(agent(), "report_generate", one -> badlyCited(one, sources));
              badlyCited(written, sources)
                  .ifPresent(wrong -> {
                    throw new AgentException("the report cannot be used: " + wrong, null, true);
                  });
              return written
                  + cited(written).stream()
                      .map(source -> "\n- [" + source + "]")
                      .collect(Collectors.joining("", "\n\n## Sources\n", "\n"));
            });
    Artifact artifact =
        store(
            name,
            JsonNodeFactory.instance.textNode(text),
            OutputFormat.MARKDOWN_LIST.mediaType(),
            key.value());
    return new Report(artifact, List.copyOf(cited(text)), text);
  }

  private static Optional<String> badlyCited(String text, Map<String, JsonNode> sources) {
    Set<String> cited = cited(text);
    if (cited.isEmpty()) {
      return Optional.of("the report cites no source; cite them as in [" + first(sources) + "]");
    }
    List<String> strangers = cited.stream().filter(one -> !sources.containsKey(one)).toList();
    return strangers.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "there are no sources %s, only %s"
                .formatted(strangers, new TreeSet<>(sources.keySet())));
  }

  private static String first(Map<String, JsonNode> sources) {
    return new TreeSet<>(sources.keySet()).first();
  }

  private static Set<String> cited(String text) {
    return CITATION
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Artifact store(String name, JsonNode content, String mediaType, String key) {
    int chars = chars(content);
    if (chars > args.maxChars()) {
      throw AgentException.refused(
          "an artifact has at most %d characters, but %s has %d"
              .formatted(args.maxChars(), name, chars));
    }
    Version next = new Version(0, mediaType, chars, blackboard().clock().instant(), key);
    return Await.result(blackboard().transaction(tx -> storing(tx, name, next, content))).of(name);
  }

  private CompletionStage<Version> storing(
      Transaction tx, String name, Version given, JsonNode content) {
    return tx.read(INDEX + name, Versions.class)
        .thenCompose(known -> {
          Optional<Version> before = known.flatMap(all -> all.writtenBy(given.key()));
          if (before.isPresent()) {
            return CompletableFuture.completedStage(before.get());
          }
          return known.isPresent()
              ? adding(tx, name, known.get(), given, content)
              : beginning(tx, name, given, content);
        });
  }

  private CompletionStage<Version> beginning(
      Transaction tx, String name, Version given, JsonNode content) {
    return tx.read(COUNT, Integer.class)
        .thenCompose(count -> {
          int there = count.orElse(0);
          if (there >= args.maxArtifacts()) {
            return CompletableFuture.failedStage(
                AgentException.refused(
                    "there are %d artifacts, and no more are allowed".formatted(there)));
          }
          return tx.write(COUNT, there + 1)
              .thenCompose(done -> adding(tx, name, new Versions(List.of()), given, content));
        });
  }

  private CompletionStage<Version> adding(
      Transaction tx, String name, Versions known, Version given, JsonNode content) {
    int number = known.kept().isEmpty() ? 1 : known.newest().version() + 1;
    Version next = new Version(number, given.mediaType(), given.chars(), given.at(), given.key());
    List<Version> all = new ArrayList<>(known.kept());
    all.add(next);
    int over = Math.max(0, all.size() - 1 - args.keepVersions());
    String newest = PREFIX + name;
    CompletionStage<Void> done =
        tx.write(INDEX + name, new Versions(all.subList(over, all.size())));
    if (number > 1 && args.keepVersions() > 0) {
      done =
          done.thenCompose(written -> tx.read(newest))
              .thenCompose(last ->
                  last.map(entry -> tx.write(Write.of(archived(name, number - 1), entry.value())))
                      .orElseGet(() -> CompletableFuture.completedStage(null)));
    }
    for (Version gone : all.subList(0, over)) {
      done = done.thenCompose(written -> tx.delete(archived(name, gone.version())));
    }
    return done.thenCompose(written ->
            tx.write(
                Write.value(newest, new Stored(number, next.mediaType(), content))
                    .tags("output", next.mediaType())))
        .thenApply(written -> next);
  }

  private static String archived(String name, int version) {
    return PREFIX + name + ":v" + version;
  }

  private Optional<Versions> versions(String name) {
    return Await.result(blackboard().read(INDEX + name)).map(entry -> entry.as(Versions.class));
  }

  /** The content of a version that is kept. */
  private JsonNode content(String name, Version version) {
    return Stream.of(PREFIX + name, archived(name, version.version()))
        .flatMap(key -> Await.result(blackboard().read(key)).stream())
        .map(entry -> entry.as(Stored.class))
        .filter(stored -> stored.version() == version.version())
        .findFirst()
        .orElseThrow(() -> new AgentException(name + " has been written meanwhile", null, true))
        .content();
  }

  private static String name(String name) {
    if (!NAME.matcher(name).matches()) {
      throw AgentException.refused(
          "a name is 1 to 128 of A-Z a-z 0-9 . _ ~ -, not: " + Text.line(name, 130));
    }
    return name;
  }

  private static int chars(JsonNode content) {
    return content.isTextual() ? content.textValue().length() : content.toString().length();
  }
}
