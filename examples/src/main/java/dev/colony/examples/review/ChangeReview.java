package dev.colony.examples.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.examples.mapped.MappedRun;
import dev.colony.examples.mapped.PiecewisePolicy;
import dev.colony.examples.review.ChangeReport.Finding;
import dev.colony.examples.review.ChangeReport.NotReviewed;
import dev.colony.examples.review.ChangeReport.Use;
import dev.colony.vcm.source.git.GitDiff;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Has an agent review a change, in as many runs as it takes. */
public final class ChangeReview {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final MappedRun agent;

  public ChangeReview(MappedRun agent) {
    this.agent = agent;
  }

  /**
   * Reviews a change; blocks.
   *
   * @param change its name, for people
   * @param map of the tree as it is after the change
   * @param judged false where no model is to be asked
   */
  public ChangeReport of(
      String change,
      String map,
      boolean judged,
      List<String> rules,
      List<GitDiff.FileChange> files) {
    ChangeInput.Parts parts = ChangeInput.of(map, judged, rules, files);
    List<Finding> findings = new ArrayList<>();
    List<NotReviewed> left = new ArrayList<>(parts.notReviewed());
    List<Use> elsewhere = new ArrayList<>();
    int reviewed = 0;
    int dropped = 0;
    for (ChangeInput run : parts.runs()) {
      JsonNode output = agent.of(JSON.valueToTree(run));
      ChangeReport report = PiecewisePolicy.read(output, ChangeReport.class);
      findings.addAll(report.findings());
      left.addAll(report.notReviewed());
      elsewhere.addAll(report.elsewhere());
      reviewed += report.reviewed();
      dropped += report.dropped();
    }
    findings.sort(
        Comparator.comparing(Finding::severity)
            .thenComparing(Finding::file)
            .thenComparingInt(Finding::line));
    return new ChangeReport(change, rules, judged, findings, reviewed, left, elsewhere, dropped);
  }
}
