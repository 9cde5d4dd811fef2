package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import dev.colony.agent.RunProgress;
import dev.colony.bench.KeyedQuestion.Found;
import dev.colony.bench.KeyedQuestion.Verdict;
import dev.colony.bench.Trees.Tree;
import dev.colony.blackboard.clock.Stopwatch;
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
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
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
          + " the tree), question, files and lines (regular expressions for what is right), kind.",
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
  private Path cache = StateDirectory.usual().resolve("corpora");

  @Option(
      names = "--model-url",
      paramLabel = "URL",
      description = "An OpenAI-compatible server (default: the embedded replica).")
  private String modelUrl;

  @Option(
      names = "--reader",
      paramLabel = "MANNER",
      description = {
        "In place of a model, one that knows the key and answers over HTTP: competent,",
        "sloppy (wrong numbers, shortened paths, joined lines, slips) or inventing.",
      })
  private String reader;

  private List<KeyedQuestion> read;
  private Optional<URI> server;
  private Optional<KeyedReader.Manner> manner;

  @Override
  protected void check() {
    try {
      read = KeyedQuestion.read(questions);
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
    Trees trees = new Trees(cache);
    Map<String, List<KeyedQuestion>> byTree = new LinkedHashMap<>();
    read.forEach(one -> byTree.computeIfAbsent(one.corpus(), tree -> new ArrayList<>()).add(one));
    Map<String, Path> folders = new LinkedHashMap<>();
    byTree.keySet().forEach(corpus -> folders.put(corpus, trees.of(corpus)));
    if (manner.isEmpty()) {
      return report(ask(directory, byTree, folders, config, server, progress));
    }
    try (ReaderServer scripted =
        new ReaderServer(KeyedReader.of(read, folders, manner.get()), manner.get())) {
      return report(ask(directory, byTree, folders, config, Optional.of(scripted.uri()), progress));
    }
  }

  private List<Row> ask(
      Path directory,
      Map<String, List<KeyedQuestion>> byTree,
      Map<String, Path> folders,
      Config config,
      Optional<URI> model,
      Progress progress) {
    List<Row> rows = new ArrayList<>();
    ClusterLauncher launcher =
        new ClusterLauncher(StateDirectory.open(directory), configFile(), progress::note);
    try (Cluster cluster = launcher.startForCommand(1, model, "colony bench answers")) {
      for (Map.Entry<String, List<KeyedQuestion>> one : byTree.entrySet()) {
        MappingResult.Mapped mapped = new Mapper(config).map(folders.get(one.getKey()), progress);
        try (AskedTree tree = new AskedTree(mapped, config)) {
          for (KeyedQuestion question : one.getValue()) {
            progress.at("asking", rows.size(), read.size());
            AskPolicy policy = AskPolicy.usual(model.isPresent());
            rows.add(tree.ask(new Asking(cluster, progress), question, policy));
          }
        }
      }
    }
    return rows;
  }

  /** A way to find lines, or a stage of one. */
  enum Stage {
    /** The files in the order of the index; evidence: a page that is read holds a right line. */
    INDEX,
    /** The lines that analysts have quoted. */
    READ,
    /** Those that the answer cites. */
    CITED,
    /** The lines that a run without a model shows. */
    SEARCH,
    /** BM25 over whole files. */
    BM25,
    /** Files by how many different words of the question they have. */
    GREP;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * How a question went.
   *
   * @param unfounded places that are cited and that the tree does not have so
   * @param error why it has no answer; empty if it has one
   */
  record Row(
      KeyedQuestion question,
      Map<Stage, Verdict> verdicts,
      int unfounded,
      String error,
      Optional<AskReport> report) {}

  private static final class AskedTree implements AutoCloseable {

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

    Row ask(Asking asking, KeyedQuestion question, AskPolicy policy) {
      Map<Stage, Verdict> verdicts = new EnumMap<>(Stage.class);
      verdicts.put(Stage.INDEX, byIndex(question));
      verdicts.put(Stage.SEARCH, question.judge(bySearch(question.question())));
      baselines.forEach((stage, baseline) ->
          verdicts.put(stage, question.judge(baseline.ask(question.question()))));
      List<Found> read = new ArrayList<>();
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
                question.corpus(),
                mapped,
                new AskRecord.StartedWith("", "", 1, Optional.empty(), ""),
                policy);
        report =
            Optional.of(
                asking.follow(
                    asked, watch, event -> collect(event, ResearchTypes.ANSWERED, "found", read)));
        report
            .get()
            .answer()
            .citations()
            .forEach(line -> cited.add(new Found(line.file(), line.text())));
        unfounded = unfounded(report.get().answer());
      } catch (CommandFailure failed) {
        error = failed.getMessage();
      }
      verdicts.put(Stage.READ, question.judge(read));
      verdicts.put(Stage.CITED, question.judge(cited));
      return new Row(question, verdicts, unfounded, error, report);
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

    private void collect(RunProgress event, String name, String field, List<Found> into) {
      if (event.name().equals(name)) {
        for (JsonNode place : event.data().path(field)) {
          into.add(tree.at(place.asText()));
        }
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
          .flatMap(hit -> hit.lines().stream().map(line -> new Found(hit.file(), line.text())))
          .toList();
    }

    private Verdict byIndex(KeyedQuestion question) {
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
                      file.getValue().stream()
                          .anyMatch(line -> question.right(new Found(file.getKey(), line))));
      return question.judge(files, evidence);
    }

    @Override
    public void close() {
      index.close();
    }
  }

  private static ObjectNode report(List<Row> rows) {
    ObjectNode json = Report.object().put("questions", rows.size());
    Set<String> models = new LinkedHashSet<>();
    for (Row row : rows) {
      if (row.report().isPresent()) {
        models.addAll(row.report().get().stats().models());
      }
    }
    models.forEach(json.putArray("models")::add);
    List<Row> failed = rows.stream().filter(row -> !row.error().isEmpty()).toList();
    json.put("failed", failed.size())
        .put(
            "droppedQuotes",
            rows.stream()
                .flatMap(row -> row.report().stream())
                .mapToInt(report -> report.answer().dropped())
                .sum())
        .put("unfoundedCitations", rows.stream().mapToInt(Row::unfounded).sum());
    ArrayNode groups = json.putArray("groups");
    groups(rows)
        .forEach((name, group) -> {
          ObjectNode one = groups.addObject().put("group", name).put("questions", group.size());
          for (Stage stage : Stage.values()) {
            rights(group, stage, one.putObject(stage.word()));
          }
        });
    ArrayNode failures = json.putArray("failures");
    failed.forEach(
        row -> failures.addObject().put("id", row.question().id()).put("error", row.error()));
    return json.put(WHOLE, failed.isEmpty());
  }

  private static void rights(List<Row> rows, Stage stage, ObjectNode json) {
    List<Verdict> verdicts = rows.stream().map(row -> row.verdicts().get(stage)).toList();
    json.put("file@1", verdicts.stream().filter(Verdict::first).count())
        .put("file@3", verdicts.stream().filter(Verdict::three).count())
        .put("file@5", verdicts.stream().filter(Verdict::five).count())
        .put("evidence", verdicts.stream().filter(Verdict::evidence).count());
  }

  /** All questions, then by kind, then by tree. */
  private static Map<String, List<Row>> groups(List<Row> rows) {
    Map<String, List<Row>> kinds = new TreeMap<>();
    Map<String, List<Row>> trees = new TreeMap<>();
    for (Row row : rows) {
      kinds.computeIfAbsent(row.question().kind(), kind -> new ArrayList<>()).add(row);
      trees.computeIfAbsent(row.question().corpus(), tree -> new ArrayList<>()).add(row);
    }
    Map<String, List<Row>> groups = new LinkedHashMap<>();
    groups.put("all", rows);
    groups.putAll(kinds);
    groups.putAll(trees);
    return groups;
  }
}
