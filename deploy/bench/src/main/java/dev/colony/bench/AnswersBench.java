package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.agent.RunStats;
import dev.colony.bench.AnswersTable.Score;
import dev.colony.bench.AnswersTable.Stage;
import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.bench.Trees.Tree;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.cli.ModelCheck;
import dev.colony.cli.RunNames;
import dev.colony.cli.ask.AskRecord;
import dev.colony.cli.ask.AskRecord.AskPolicy;
import dev.colony.cli.ask.AskReport;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.Usage;
import dev.colony.library.research.Answer;
import dev.colony.library.research.Evidence;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.FileSearch;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.PageIndex;
import dev.colony.vcm.mapping.PageIndex.PageHit;
import dev.colony.vcm.mapping.PageIndex.PassageHit;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Asks questions with a key about source trees, each as {@code colony run} does, on one node that
 * lives for all of them, and says of each stage on the way to the answer whether what is right was
 * still there; beside it plain ways to look in the same tree.
 */
@Command(
    name = "answers",
    description = {
      "Whether questions about source trees, asked as 'colony run' asks them, find the right files "
          + "and lines, stage by stage; beside it BM25 over whole files and a count of words.",
      "QUESTIONS has a JSON object a line: id, corpus (group:artifact:version, whose sources jar is"
          + " the tree), question, files and lines (regular expressions for what is right), kind;"
          + " or is one of ContextBench or of SWE-QA.",
    })
final class AnswersBench extends Bench {

  /** Pages that a question is put to, as a run puts it. */
  private static final int PAGES = ResearchTypes.PAGES;

  /** A place in a file, as an answer's text names it. */
  private static final Pattern PLACE =
      Pattern.compile("[\\w./$-]+\\.[A-Za-z]\\w*:\\d{1,9}(?:-\\d{1,9})?");

  @Parameters(paramLabel = "QUESTIONS", description = "The file with the questions.")
  private Path questions;

  @Option(
      names = "--cache",
      paramLabel = "DIR",
      description = {
        "Where the trees are: DIR/ARTIFACT-VERSION, else unpacked to there from",
        "DIR/jars/ARTIFACT-VERSION-sources.jar, which Maven fetches if it is not there",
        "(default: ${DEFAULT-VALUE}).",
      })
  private Path cache = StateFolder.usual().resolve("corpora");

  @Option(
      names = "--repositories",
      paramLabel = "DIR",
      description = {
        "Where the repositories of a public set are, as DIR/OWNER__NAME or DIR/NAME: clones",
        "that have the commits of its questions. Nothing is fetched.",
      })
  private Path repositories;

  @Option(
      names = "--model-url",
      paramLabel = "URL",
      description =
          "An OpenAI-compatible server (default: none, so that nothing but searches is asked).")
  private String modelUrl;

  @Option(
      names = "--reader",
      paramLabel = "MANNER",
      description = {
        "In place of a model, one that knows the key and answers over HTTP: competent,",
        "sloppy (JSON in a fence, calls that lack arguments, paths for numbers) or inventing.",
      })
  private String reader;

  @Option(
      names = "--context",
      paramLabel = "TOKENS",
      defaultValue = "131072",
      description = {
        "The context that the reader says it has (default: ${DEFAULT-VALUE}): from 32000 on",
        "it looks by itself with tools.",
      })
  private int context;

  private List<KeyedQuestion> read;
  private long lines;
  private Optional<URI> server;
  private Optional<KeyedReader.Manner> manner;

  @Override
  protected void check() {
    try {
      read = KeyedQuestion.read(questions);
      lines = KeyedQuestion.lines(questions).stream().filter(line -> !line.isBlank()).count();
    } catch (IllegalArgumentException bad) {
      throw CommandFailure.badInput(bad.getMessage());
    }
    server = ModelCheck.url(modelUrl);
    try {
      manner = Optional.ofNullable(reader).map(KeyedReader.Manner::of);
    } catch (IllegalArgumentException bad) {
      throw CommandFailure.badInput("--reader: " + bad.getMessage());
    }
    if (manner.isPresent() && server.isPresent()) {
      throw CommandFailure.badInput("give --reader or --model-url, not both");
    }
  }

  @Override
  protected String broken() {
    return "questions have no answer";
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    Config config = config();
    ModelCheck.asked(server, config, "--model-url:", progress::note);
    if (read.size() < lines) {
      progress.note(
          "left out %d questions whose answers name no file".formatted(lines - read.size()));
    }
    Trees trees = new Trees(cache, Optional.ofNullable(repositories));
    Map<String, List<KeyedQuestion>> byTree = new LinkedHashMap<>();
    read.forEach(one -> byTree.computeIfAbsent(one.corpus(), tree -> new ArrayList<>()).add(one));
    Map<String, Path> folders = new LinkedHashMap<>();
    byTree.keySet().forEach(corpus -> folders.put(corpus, trees.of(corpus)));
    if (manner.isPresent()) {
      try (ReaderServer scripted =
          new ReaderServer(KeyedReader.of(read, folders, manner.get()), manner.get(), context)) {
        return report(answered(directory, byTree, folders, config, scripted.uri(), progress));
      }
    }
    return report(
        server.isPresent()
            ? answered(directory, byTree, folders, config, server.get(), progress)
            : ask(byTree, folders, config, Optional.empty(), progress));
  }

  private List<Asked> answered(
      Path directory,
      Map<String, List<KeyedQuestion>> byTree,
      Map<String, Path> folders,
      Config config,
      URI model,
      Progress progress) {
    ClusterLauncher launcher =
        new ClusterLauncher(StateDirectory.open(directory), configFile(), progress::note);
    try (Cluster cluster =
        launcher.startForCommand(1, Optional.of(model), "colony bench answers")) {
      return ask(byTree, folders, config, Optional.of(new Asking(cluster, progress)), progress);
    }
  }

  /**
   * @param asking has answers composed; empty for searches alone
   */
  private List<Asked> ask(
      Map<String, List<KeyedQuestion>> byTree,
      Map<String, Path> folders,
      Config config,
      Optional<Asking> asking,
      Progress progress) {
    List<Asked> rows = new ArrayList<>();
    for (Map.Entry<String, List<KeyedQuestion>> one : byTree.entrySet()) {
      MappingResult.Mapped mapped = new Mapper(config).map(folders.get(one.getKey()), progress);
      AskedTree tree = new AskedTree(mapped, config);
      for (KeyedQuestion question : one.getValue()) {
        progress.at("asking", rows.size(), read.size());
        rows.add(tree.ask(asking, question));
      }
    }
    return rows;
  }

  /**
   * How a question went.
   *
   * @param unfounded places that are cited and that the tree does not have so
   * @param error why it has no answer; empty if it has one
   */
  private record Asked(
      AnswersTable.Row row, int unfounded, String error, Optional<AskReport> report) {}

  private static final class AskedTree {

    private final MappingResult.Mapped mapped;
    private final Tree tree;
    private final PageIndex index;
    private final List<SourceFile> files = new ArrayList<>();
    private final int threads;
    private final Map<Stage, Baseline> baselines = new EnumMap<>(Stage.class);

    AskedTree(MappingResult.Mapped mapped, Config config) {
      this.mapped = mapped;
      tree = new Tree(mapped.pages());
      threads = SourceSettings.fromConfig(config).threads();
      index = PageIndex.of(mapped.pages(), threads, PageIndex.PASSAGE_LINES);
      tree.files()
          .forEach((file, lines) -> files.add(SourceFile.of(file, String.join("\n", lines))));
      baselines.put(Stage.BM25, new Baseline.Bm25(tree));
      baselines.put(Stage.GREP, new Baseline.Grep(tree));
    }

    Asked ask(Optional<Asking> asking, KeyedQuestion question) {
      Map<Stage, Score> scores = new EnumMap<>(Stage.class);
      scores.put(Stage.INDEX, byIndex(question));
      score(question, Stage.SEARCH, this::bySearch, scores);
      baselines.forEach((stage, baseline) -> score(question, stage, baseline::ask, scores));
      return asking
          .map(by -> answered(by, question, scores))
          .orElseGet(
              () -> new Asked(new AnswersTable.Row(question, scores), 0, "", Optional.empty()));
    }

    private Asked answered(Asking asking, KeyedQuestion question, Map<Stage, Score> scores) {
      List<Found> cited = new ArrayList<>();
      String error = "";
      int unfounded = 0;
      Optional<AskReport> report = Optional.empty();
      Stopwatch watch = Stopwatch.start();
      try {
        AskRecord asked =
            asking.submit(
                RunNames.next(),
                question.question(),
                asking.stored(question.corpus(), new Mapper.Again(mapped, Optional.empty())),
                new AskRecord.StartedWith("", "", 1, Optional.empty(), "", true),
                AskPolicy.usual(true),
                Optional.empty());
        report = Optional.of(asking.follow(asked, watch, event -> {}));
        Answer answer = report.get().answer();
        answer
            .citations()
            .forEach(line -> cited.add(new Found(line.file(), line.firstLine(), line.text())));
        unfounded = unfounded(answer);
      } catch (CommandFailure failed) {
        error = failed.getMessage();
      }
      long tokens =
          report
              .map(one -> one.stats().usage())
              .map(usage -> usage.promptTokens() + usage.completionTokens())
              .orElse(0L);
      scores.put(Stage.CITED, Score.of(question, tree, cited, tokens, seconds(watch)));
      return new Asked(new AnswersTable.Row(question, scores), unfounded, error, report);
    }

    private void score(
        KeyedQuestion question,
        Stage stage,
        Function<String, List<Found>> way,
        Map<Stage, Score> into) {
      Stopwatch watch = Stopwatch.start();
      List<Found> found = way.apply(question.question());
      into.put(stage, Score.of(question, tree, found, 0, seconds(watch)));
    }

    /** Citations and places in the text that the tree does not have so. */
    private int unfounded(Answer answer) {
      int unfounded = 0;
      for (Evidence one : answer.citations()) {
        unfounded += stands(one.place(), one.text()) ? 0 : 1;
      }
      String text = answer.answer() == null ? "" : answer.answer();
      for (MatchResult place : PLACE.matcher(text).results().toList()) {
        unfounded += stands(place.group(), "") ? 0 : 1;
      }
      return unfounded;
    }

    private boolean stands(String place, String text) {
      try {
        String there = tree.at(place).text();
        return text.isEmpty() || there.equals(text);
      } catch (IllegalArgumentException nowhere) {
        return false;
      }
    }

    private List<Found> bySearch(String question) {
      return FileSearch.search(
              new SourceReading.Read("", files),
              question,
              OptionalInt.empty(),
              threads,
              SourceProgress.SILENT)
          .hits()
          .stream()
          .flatMap(hit ->
              hit.lines().stream().map(line -> new Found(hit.file(), line.number(), line.text())))
          .toList();
    }

    private Score byIndex(KeyedQuestion question) {
      List<PageHit> hits = index.search(question.question(), PAGES);
      List<String> files =
          hits.stream()
              .flatMap(hit -> hit.passages().stream())
              .sorted(Comparator.comparingDouble(PassageHit::score).reversed())
              .map(PassageHit::file)
              .distinct()
              .toList();
      Set<Object> read = new LinkedHashSet<>();
      hits.forEach(hit -> read.add(hit.page()));
      List<VirtualContextPage> pages =
          mapped.pages().stream().filter(page -> read.contains(page.id())).toList();
      boolean evidence =
          new Tree(pages)
              .files().entrySet().stream()
                  .anyMatch(file ->
                      IntStream.range(0, file.getValue().size())
                          .mapToObj(at -> new Found(file.getKey(), at + 1, file.getValue().get(at)))
                          .anyMatch(question::right));
      return new Score(
          question.judge(files, evidence), OptionalDouble.empty(), OptionalDouble.empty(), 0, 0);
    }

    private static double seconds(Stopwatch watch) {
      return watch.elapsed().toMillis() / 1000.0;
    }
  }

  private ObjectNode report(List<Asked> all) {
    ObjectNode json = Report.object().put("questions", all.size());
    Set<String> models = new LinkedHashSet<>();
    for (Asked one : all) {
      one.report().ifPresent(report -> models.addAll(report.stats().models()));
    }
    models.forEach(json.putArray("models")::add);
    if (manner.isPresent()) {
      json.put("scripted", "the reader knows the key: an upper bound of what a model reaches");
    }
    List<Asked> failed = all.stream().filter(one -> !one.error().isEmpty()).toList();
    json.put("failed", failed.size())
        .put(
            "droppedQuotes",
            all.stream()
                .flatMap(one -> one.report().stream())
                .mapToInt(report -> report.answer().dropped())
                .sum())
        .put("unfoundedCitations", all.stream().mapToInt(Asked::unfounded).sum());
    calls(all.stream().flatMap(one -> one.report().stream()).map(AskReport::stats).toList(), json);
    ArrayNode missed = json.putArray("citesNoEvidence");
    all.stream()
        .map(Asked::row)
        .filter(row -> row.scores().containsKey(Stage.CITED))
        .filter(row -> !row.scores().get(Stage.CITED).verdict().evidence())
        .forEach(row -> missed.add(row.question().id()));
    json.set("results", AnswersTable.of(all.stream().map(Asked::row).toList()));
    ArrayNode failures = json.putArray("failures");
    failed.forEach(
        one -> failures.addObject().put("id", one.row().question().id()).put("error", one.error()));
    return json.put(WHOLE, failed.isEmpty());
  }

  /** What the model was asked; cached is what a server says that it had of prompts before. */
  private static void calls(List<RunStats> stats, ObjectNode json) {
    Usage all = stats.stream().map(RunStats::usage).reduce(Usage.NONE, Usage::plus);
    json.putObject("calls")
        .put("all", stats.stream().mapToInt(RunStats::modelCalls).sum())
        .put("mostOfAQuestion", stats.stream().mapToInt(RunStats::modelCalls).max().orElse(0))
        .put("promptTokens", all.promptTokens())
        .put("cachedTokens", all.cachedTokens())
        .put("completionTokens", all.completionTokens());
  }
}
