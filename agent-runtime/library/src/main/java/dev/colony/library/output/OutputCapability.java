package dev.colony.library.output;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.IdempotencyKey;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.Text;
import dev.colony.library.reasoning.Inquiry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What an agent produces for others: artifacts on the blackboard, {@code output:{name}} for the
 * newest version of each and {@code output:{name}:v{n}} for the last ones. Where the capability
 * stands in a scope that agents share, they share its artifacts. A write is one version, however
 * often its action is executed.
 */
@Registered(value = "output", summary = "Named artifacts with versions, formats and reports.")
public final class OutputCapability extends AgentCapability {

  private static final String PREFIX = "output:";
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

  /** An artifact as it is stored. */
  record Stored(int version, String mediaType, JsonNode content, String key, Instant at) {

    Artifact artifact(String name) {
      return new Artifact(name, version, mediaType, chars(content), at);
    }
  }

  /** An artifact with its content. */
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
        .namespace("output");
  }

  @ActionExecutor(
      key = "output_write",
      summary = "Writes a named artifact for others to read; a name that is there gets a new version.",
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
    String newest = PREFIX + name(name);
    Stored stored =
        stored(newest)
            .filter(one -> version.map(wanted -> wanted == one.version()).orElse(true))
            .or(() -> version.flatMap(number -> stored(newest + ":v" + number)))
            .orElseThrow(() ->
                AgentException.refused(
                    "there is no artifact "
                        + name
                        + version.map(number -> " of version " + number).orElse("")));
    return new Content(stored.artifact(name), stored.content());
  }

  @ActionExecutor(
      key = "output_list",
      summary = "Lists the artifacts with their newest versions.",
      tags = "output")
  List<Artifact> list() {
    return names().stream()
        .flatMap(name -> stored(PREFIX + name).map(one -> one.artifact(name)).stream())
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
      @Param("the sources by the names that they are cited by: text or JSON, references such as $results.a1 for results")
          @Range(min = 1, max = 50)
          Map<String, JsonNode> sources,
      IdempotencyKey key) {
    name(name);
    sources.keySet().forEach(OutputCapability::name);
    Optional<Stored> known = stored(PREFIX + name).filter(one -> one.key().equals(key.value()));
    String text =
        known
            .map(one -> one.content().asText())
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
    return CITATION.matcher(text).results()
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
    if (stored(PREFIX + name).isEmpty() && names().size() >= args.maxArtifacts()) {
      throw AgentException.refused(
          "there are %d artifacts, and no more are allowed".formatted(args.maxArtifacts()));
    }
    Instant now = blackboard().clock().instant();
    Stored stored =
        await(blackboard().transaction(tx -> storing(tx, name, content, mediaType, key, now)));
    return stored.artifact(name);
  }

  private CompletionStage<Stored> storing(
      Transaction tx, String name, JsonNode content, String mediaType, String key, Instant now) {
    String newest = PREFIX + name;
    return tx.read(newest, Stored.class)
        .thenCompose(last -> {
          if (last.filter(one -> one.key().equals(key)).isPresent()) {
            return CompletableFuture.completedStage(last.get());
          }
          int version = last.map(Stored::version).orElse(0) + 1;
          Stored next = new Stored(version, mediaType, content, key, now);
          CompletionStage<Void> written =
              tx.write(Write.value(newest, next).tags("output", mediaType));
          if (last.isPresent() && args.keepVersions() > 0) {
            written =
                written.thenCompose(done ->
                    tx.write(newest + ":v" + last.get().version(), last.get()));
          }
          return written
              .thenCompose(done -> tx.delete(newest + ":v" + (version - 1 - args.keepVersions())))
              .thenApply(done -> next);
        });
  }

  private Optional<Stored> stored(String key) {
    return await(blackboard().read(key)).map(entry -> entry.as(Stored.class));
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    Query query = Query.keys(PREFIX + "*").allTags("output").limit(500);
    Optional<Query.Cursor> next;
    do {
      var page = await(blackboard().query(query));
      page.entries().stream()
          .map(Entry::key)
          .map(key -> key.substring(PREFIX.length()))
          .forEach(names::add);
      next = page.next();
      query = next.map(query::from).orElse(query);
    } while (next.isPresent());
    return names;
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

  private static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
    }
  }
}
