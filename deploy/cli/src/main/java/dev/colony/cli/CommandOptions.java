package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.inference.provider.FoundServer;
import dev.colony.server.AgentsReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options and parameters that several commands have. */
public final class CommandOptions {

  private static final int MOST_AT_ONCE = 10_000;

  private CommandOptions() {}

  /** Refuses a number that is out of its range, and gives it back. */
  static int check(String option, int number, int least, int most) {
    if (number < least || number > most) {
      throw CommandFailure.badInput(
          "%s is %d, but must be %d to %d".formatted(option, number, least, most));
    }
    return number;
  }

  /** That no more is asked for at once than memory takes. */
  static int checkLimit(int limit) {
    return check("--limit", limit, 1, MOST_AT_ONCE);
  }

  public static final class JsonOption {

    @Option(names = "--json", description = "Prints one JSON object instead of text.")
    private boolean json;

    public boolean given() {
      return json;
    }

    /** Prints one object, or a text where there is one. */
    int print(Object form, Supplier<String> text) {
      String printed = json ? Printable.line(WireJson.write(form)) : text.get();
      if (!printed.isEmpty()) {
        System.out.println(printed);
      }
      return ExitCode.OK.status();
    }

    /**
     * Prints a page as one object, or as a text with a line that says how to go on.
     *
     * @param none is printed where the page is empty; may be empty itself
     */
    <T> int page(
        Object form,
        List<T> page,
        String none,
        Function<List<T>, String> text,
        Optional<String> goesOn) {
      print(form, () -> page.isEmpty() ? none : text.apply(page));
      goesOn.filter(line -> !json).ifPresent(System.out::println);
      return ExitCode.OK.status();
    }

    /** Prints all there is as one object, or with lines for each. */
    <T> int lines(Object form, List<T> all, String none, Function<T, String> lines) {
      return lines(form, all, none, lines, Optional.empty());
    }

    /** Prints a page as one object, or with lines for each of what it has. */
    <T> int lines(
        Object form,
        List<T> page,
        String none,
        Function<T, String> lines,
        Optional<String> goesOn) {
      return page(
          form,
          page,
          none,
          all -> all.stream().map(lines).collect(Collectors.joining(System.lineSeparator())),
          goesOn);
    }
  }

  public static final class StateOption {

    @Option(
        names = "--state",
        paramLabel = "DIR",
        description = "Where Redis, logs and records are kept (default: ${DEFAULT-VALUE}).")
    private Path directory = StateFolder.usual();

    public StateDirectory open() {
      return StateDirectory.open(directory);
    }

    /** The option as it stands in a command for the same state; empty where it is the usual one. */
    String again() {
      return directory.equals(StateFolder.usual()) ? "" : " --state " + word(directory.toString());
    }

    /** A value as a shell takes it for one word. */
    static String word(String value) {
      return value.matches("[\\w./:@=~+,-]+") ? value : "'" + value.replace("'", "'\\''") + "'";
    }
  }

  static final class LimitOption {

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "100",
        description = "How many at most, 1 to 10000 (default: ${DEFAULT-VALUE}).")
    private int limit;

    /**
     * How many at most.
     *
     * @throws dev.colony.cli.terminal.CommandFailure if that is more than memory takes, or none
     */
    int checked() {
      return checkLimit(limit);
    }
  }

  static final class KeyOption {

    /** Of the file: a key is a line. */
    private static final int MOST_BYTES = 64 * 1024;

    @Option(
        names = "--key-file",
        paramLabel = "FILE",
        description =
            "Holds the key to the API, or a token (default: that of the variable COLONY_KEY, if"
                + " set).")
    private Optional<Path> keyFile = Optional.empty();

    Optional<String> key() {
      if (keyFile.isEmpty()) {
        return Optional.ofNullable(System.getenv("COLONY_KEY")).filter(key -> !key.isBlank());
      }
      try {
        return Optional.of(Text.ofFile(keyFile.get(), MOST_BYTES).strip());
      } catch (IOException | IllegalArgumentException unreadable) {
        throw CommandFailure.badInput(
            "the file of --key-file cannot be read: " + keyFile.get(), unreadable);
      }
    }

    /** The option as it was given; empty where it was not. */
    String again() {
      return keyFile.map(file -> " --key-file " + StateOption.word(file.toString())).orElse("");
    }

    /** Refuses a URL that is none of an HTTP API. */
    static void checkUrl(URI url) {
      if (!List.of("http", "https").contains(String.valueOf(url.getScheme()))) {
        throw CommandFailure.badInput("--url is http://... or https://..., not: " + url);
      }
    }
  }

  /** Which HTTP API a command asks, and with which key. */
  static final class ApiOptions {

    @Option(
        names = "--url",
        paramLabel = "URL",
        description =
            "The HTTP API of a node, or of what stands before them (default: that is up).")
    private Optional<URI> url = Optional.empty();

    @Mixin private KeyOption keyOption;

    @Mixin private StateOption state;

    /** The nodes that may be asked, at least one. */
    List<URI> nodes() {
      if (url.isPresent()) {
        KeyOption.checkUrl(url.get());
        return List.of(url.get());
      }
      StateDirectory directory = state.open();
      List<URI> living =
          UpRecord.find(directory).stream()
              .flatMap(record -> record.living(directory).stream())
              .map(NodeRecord::api)
              .filter(api -> !api.isEmpty())
              .map(URI::create)
              .toList();
      if (living.isEmpty()) {
        throw CommandFailure.badInput(
            "no node that serves the HTTP API is up in %s: call colony up, or give --url"
                .formatted(directory.root()));
      }
      return living;
    }

    Optional<String> key() {
      return keyOption.key();
    }
  }

  static final class ColonyFilter {

    @Option(
        names = "--tenant",
        paramLabel = "T",
        converter = Words.Name.class,
        description = "Only the agents of this tenant.")
    Optional<String> tenant;

    @Option(
        names = "--colony",
        paramLabel = "C",
        converter = Words.Name.class,
        description = "Only the agents of colonies of this name.")
    Optional<String> colony;
  }

  static final class RunOption {

    @Option(
        names = "--namespace",
        paramLabel = "N",
        converter = Words.Name.class,
        description = "That the run was asked for in (default: it is looked for).")
    Optional<String> namespace;
  }

  /** The agent that a command is about: its first word. */
  static final class AgentParameter {

    @Parameters(
        index = "0",
        paramLabel = "AGENT",
        description = "For example acme/billing/reviewer.")
    AgentId id;
  }

  /** The scope that a command works on: its first word. */
  static class ScopeParameter {

    @Parameters(index = "0", paramLabel = "SCOPE")
    Scope scope;
  }

  /** Which colonies a purge is for, and what of them may go. */
  static final class PurgeOptions {

    @Mixin private ColonyFilter of;

    @Option(
        names = "--older-than",
        paramLabel = "TIME",
        description = "Only what ended so long ago, for example 7d; default: whatever has ended.")
    private Optional<Duration> olderThan;

    @Option(names = "--dry-run", description = "Says what would go, and changes nothing.")
    boolean dryRun;

    /** Whether it is for the colonies of a tenant or of a name. */
    boolean ofColonies() {
      return of.tenant.isPresent() || of.colony.isPresent();
    }

    /**
     * Goes through these colonies page by page.
     *
     * @param page purges one page of a colony, from where the page before ended, and says where the
     *     next one begins
     */
    <A> void eachPage(AgentsReader view, BiFunction<Scope, Optional<A>, Optional<A>> page) {
      for (Scope colony : view.colonies(of.tenant, of.colony)) {
        Optional<A> after = Optional.empty();
        do {
          after = page.apply(colony, after);
        } while (after.isPresent());
      }
    }

    Duration olderThan() {
      return olderThan.orElse(Duration.ZERO);
    }

    /** How a line about what has gone, or would, begins. */
    String done() {
      return dryRun ? "would purge " : "purged ";
    }
  }

  /** What a cluster is started with; shared by the commands that start one. */
  static final class ClusterOptions {

    private static final int MOST_NODES = 16;

    /** A server on this machine, whichever is found. */
    private static final String AUTO = "auto";

    /** No server, though one is configured or can be found. */
    static final String NONE = "none";

    private static final String MODEL_URL = "colony.node.model-url";

    /** A user's own settings, in the state directory. */
    private static final String CONFIG = "colony.conf";

    @Option(
        names = "--nodes",
        paramLabel = "N",
        description = "How many nodes, 1 to 16, each a JVM of its own from 2 on (default: 1).")
    private Integer nodes;

    @Option(
        names = "--model-url",
        paramLabel = "URL",
        description =
            "An OpenAI-compatible server, for example http://gpu-1:8000/v1; auto for one on this"
                + " machine, none for no model: run searches, else the embedded replica answers,"
                + " which is no neural network (default: COLONY_MODEL_URL, else at a terminal auto,"
                + " see colony models).")
    private String modelUrl;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private Optional<URI> settled = Optional.empty();
    private boolean looked;

    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "HOCON whose keys override the defaults of the reference.conf files.")
    private Path config;

    boolean nodesGiven() {
      return nodes != null;
    }

    boolean modelGiven() {
      return modelUrl != null;
    }

    int nodes() {
      return check("--nodes", nodes == null ? 1 : nodes, 1, MOST_NODES);
    }

    /** The server that is named, or that {@link #settle} has taken. */
    Optional<URI> modelUrl() {
      return settled.or(
          () -> ModelCheck.url(AUTO.equals(modelUrl) || NONE.equals(modelUrl) ? null : modelUrl));
    }

    /**
     * Settles which model server is asked where the option names none: that of the configuration,
     * which {@code COLONY_MODEL_URL} is part of, else one on this machine, which is said. A cluster
     * that is up has its own.
     *
     * @param named the model that is to answer
     * @return which model of the server answers; empty for the first that it lists
     * @throws CommandFailure if a server on this machine was asked for and there is none
     */
    Optional<String> settle(StateDirectory state, Config config, Optional<String> named) {
      boolean auto = AUTO.equals(modelUrl);
      if (modelUrl != null && !auto || !auto && UpRecord.find(state).isPresent()) {
        return named;
      }
      String told = config.getString(MODEL_URL);
      if (!auto && !told.isBlank()) {
        settled = ModelCheck.url(told);
        return named;
      }
      if (!auto && !ModelCheck.searches(config)) {
        return named;
      }
      looked = true;
      Optional<FoundServer> found = ModelCheck.found(config, named);
      if (found.isEmpty() && auto) {
        throw new CommandFailure(
            ExitCode.MODEL_UNAVAILABLE,
            "--model-url auto: no model server was found: " + ModelCheck.LOOKED);
      }
      found.ifPresent(one -> {
        settled = Optional.of(one.url());
        System.err.println(
            Printable.of(
                "using %s at %s (%s); --model and --model-url choose another, colony models lists them"
                    .formatted(one.chosen().orElseThrow().name(), one.place(), one.kind())));
      });
      return found
          .filter(one -> named.isPresent() || one.models().size() > 1)
          .flatMap(FoundServer::chosen)
          .map(FoundServer.Model::id)
          .or(() -> named);
    }

    /** What a person is told where no model answers. */
    String noModel() {
      return "No model server %s: this is a code search, not an answer. See README, \"With a model\"."
          .formatted(looked ? "found (looked at ports 11434, 1234, 8080, 8000)" : "is given");
    }

    /** The file that is given, else {@code colony.conf} of the state directory, if it has one. */
    Optional<Path> config() {
      if (config != null && !Files.isReadable(config)) {
        throw CommandFailure.badInput("--config " + config + ": cannot be read");
      }
      return Optional.ofNullable(config)
          .or(() ->
              Optional.ofNullable(command.findOption("--state"))
                  .map(state -> ((Path) state.getValue()).resolve(CONFIG)))
          .filter(Files::isReadable);
    }
  }
}
