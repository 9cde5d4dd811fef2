package dev.colony.bench.answers;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import dev.colony.agent.RunProgress;
import dev.colony.bench.answers.AnswersReport.Row;
import dev.colony.bench.answers.AnswersReport.Stage;
import dev.colony.bench.answers.KeyedQuestion.Found;
import dev.colony.bench.answers.KeyedQuestion.Verdict;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.cli.RunNames;
import dev.colony.cli.ask.AskPolicy;
import dev.colony.cli.ask.AskRecord;
import dev.colony.cli.ask.AskReport;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.ClusterLauncher;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.CommandConfig;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.Usage;
import dev.colony.library.research.Answer;
import dev.colony.library.research.Evidence;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.index.PageHit;
import dev.colony.vcm.index.PageIndex;
import dev.colony.vcm.index.PassageHit;
import dev.colony.vcm.settings.IndexSettings;
import dev.colony.vcm.settings.SourceSettings;
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
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Asks questions with a key about source trees, each as {@code colony run} does, on one node that
 * lives for all of them, and says of each stage on the way to the answer whether what is right was
 * still there; beside it plain ways to look in the same tree.
 */
public final class AnswersBenchmark {

  /** Pages that a question is put to, as a run puts it. */
  private static final int PAGES = ResearchTypes.PAGES;

  /** A place in a file, as an answer's text names it. */
  private static final Pattern PLACE =
      Pattern.compile("[\\w./$-]+\\.[A-Za-z]\\w*:\\d{1,9}(?:-\\d{1,9})?");

  private final Path directory;
  private final Optional<Path> configFile;
  private final Optional<URI> modelUrl;
  private final Optional<ReaderManner> reader;
  private final Trees trees;
  private final Progress progress;

  /**
   * @param directory for the node's state, not used before; left for the caller to delete
   * @param modelUrl empty for the embedded replica
   * @param reader plays the model, by the questions' keys, where there is no other
   * @param cache with the trees
   */
  public AnswersBenchmark(
      Path directory,
      Optional<Path> configFile,
      Optional<URI> modelUrl,
      Optional<ReaderManner> reader,
      Path cache,
      Progress progress) {
    this.directory = directory;
    this.configFile = configFile;
    this.modelUrl = modelUrl;
    this.reader = reader;
    this.trees = new Trees(cache);
    this.progress = progress;
  }

  /**
   * Blocks until all questions are asked.
   *
   * @throws CommandFailure if a tree is not to be had, or something does not start
   */
  public AnswersReport run(List<KeyedQuestion> questions) {
    Config config = CommandConfig.base(configFile);
    Map<String, List<KeyedQuestion>> byTree = new LinkedHashMap<>();
    questions.forEach(
        one -> byTree.computeIfAbsent(one.corpus(), corpus -> new ArrayList<>()).add(one));
    Map<String, Path> folders = new LinkedHashMap<>();
    byTree.keySet().forEach(corpus -> folders.put(corpus, trees.of(corpus)));
    if (reader.isEmpty()) {
      return run(questions, byTree, folders, config, modelUrl);
    }
    try (ReaderServer server =
        new ReaderServer(RightFiles.reader(questions, folders, reader.get()), reader.get())) {
      return run(questions, byTree, folders, config, Optional.of(server.uri()));
    }
  }

  private AnswersReport run(
      List<KeyedQuestion> questions,
      Map<String, List<KeyedQuestion>> byTree,
      Map<String, Path> folders,
      Config config,
      Optional<URI> model) {
    List<Row> rows = new ArrayList<>();
    Set<String> models = new LinkedHashSet<>();
    Usage usage = Usage.NONE;
    ClusterLauncher launcher =
        new ClusterLauncher(StateDirectory.open(directory), configFile, progress::note);
    try (Cluster cluster = launcher.startForCommand(1, model, "colony bench answers")) {
      for (Map.Entry<String, List<KeyedQuestion>> one : byTree.entrySet()) {
        MappingResult.Mapped mapped = new Mapper(config).map(folders.get(one.getKey()), progress);
        try (AskedTree tree = new AskedTree(mapped, config)) {
          for (KeyedQuestion question : one.getValue()) {
            progress.at("asking", rows.size(), questions.size());
            Asked asked = tree.ask(new Asking(cluster, progress), question);
            rows.add(asked.row());
            if (asked.report().isPresent()) {
              models.addAll(asked.report().get().stats().models());
              usage = usage.plus(asked.report().get().stats().usage());
            }
          }
        }
      }
    }
    return new AnswersReport(List.copyOf(models), usage, List.copyOf(rows));
  }

  private record Asked(Row row, Optional<AskReport> report) {}

  /** A tree with what looks in it. */
  private static final class AskedTree implements AutoCloseable {

    private final MappingResult.Mapped mapped;
    private final Tree tree;
    private final PageIndex index;
    private final Map<Stage, Baseline> baselines = new EnumMap<>(Stage.class);

    AskedTree(MappingResult.Mapped mapped, Config config) {
      this.mapped = mapped;
      tree = new Tree(mapped.pages());
      index =
          PageIndex.of(
              mapped.pages(),
              SourceSettings.fromConfig(config).threads(),
              IndexSettings.fromConfig(config));
      baselines.put(Stage.BM25, new Baseline.Bm25(tree));
      baselines.put(Stage.GREP, new Baseline.Grep(tree));
    }

    Asked ask(Asking asking, KeyedQuestion question) {
      Map<Stage, Verdict> verdicts = new EnumMap<>(Stage.class);
      Map<Stage, Long> millis = new EnumMap<>(Stage.class);
      verdicts.put(Stage.INDEX, byIndex(question));
      baselines.forEach((stage, baseline) -> {
        Stopwatch watch = Stopwatch.start();
        verdicts.put(stage, question.judge(baseline.ask(question.question())));
        millis.put(stage, watch.elapsed().toMillis());
      });
      List<Found> read = new ArrayList<>();
      List<Found> strongest = new ArrayList<>();
      List<Found> cited = new ArrayList<>();
      String error = "";
      AnswersReport.Flow found = AnswersReport.Flow.NONE;
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
                AskPolicy.RESEARCH);
        report =
            Optional.of(
                asking.follow(
                    asked,
                    watch,
                    event -> {
                      collect(event, ResearchTypes.ANSWERED, "found", read);
                      collect(event, ResearchTypes.COMPARED, "strongest", strongest);
                    }));
        report
            .get()
            .answer()
            .citations()
            .forEach(line -> cited.add(new Found(line.file(), line.text())));
        found =
            new AnswersReport.Flow(
                report.get().answer().rounds(),
                report.get().answer().dropped(),
                unfounded(report.get().answer()));
      } catch (CommandFailure failed) {
        error = failed.getMessage();
      }
      millis.put(Stage.CITED, watch.elapsed().toMillis());
      verdicts.put(Stage.READ, question.judge(read));
      verdicts.put(Stage.STRONGEST, question.judge(strongest));
      verdicts.put(Stage.CITED, question.judge(cited));
      return new Asked(new Row(question, verdicts, millis, found, error), report);
    }

    /** Citations and places in the text that the tree does not have so. */
    private int unfounded(Answer answer) {
      int unfounded = 0;
      for (Evidence one : answer.citations()) {
        unfounded += stands(one.place(), one.text()) ? 0 : 1;
      }
      for (MatchResult place : PLACE.matcher(answer.answer()).results().toList()) {
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
}
