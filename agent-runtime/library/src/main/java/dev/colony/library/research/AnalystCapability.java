package dev.colony.library.research;

import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Holds what a model quoted against what it was shown. */
@Registered(AnalystCapability.TYPE)
final class AnalystCapability extends AgentCapability {

  static final String TYPE = "research.quotes";
  static final String CHECK_QUOTES = TYPE + ".check_quotes";

  private static final int LINES_NEAR = 9;

  /**
   * What is kept of a quote.
   *
   * @param spanLines of one span at most
   */
  record Args(@Range(min = 1, max = 200) int spanLines) {
    static final Args DEFAULT = new Args(40);
  }

  private final Args args;

  AnalystCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
  }

  @ActionExecutor(summary = "Finds where what was quoted stands on the pages that were shown.")
  Checked checkQuotes(
      @Param("the page that was read") String page,
      @Param("what the model quoted from it") List<Quote> quotes,
      @Param("the call whose reply they are") String modelCall,
      @Param("other pages of which something was shown") Optional<List<String>> shown) {
    Set<PageId> ids = new LinkedHashSet<>();
    ids.add(new PageId(page));
    shown.orElse(List.of()).forEach(one -> ids.add(new PageId(one)));
    QuoteMatcher lines = QuoteMatcher.of(agent().pages().pages(List.copyOf(ids)), args.spanLines());
    List<Evidence> kept = new ArrayList<>();
    List<Checked.Missed> missed = new ArrayList<>();
    for (Quote quote : quotes) {
      Optional<QuoteMatcher.Found> found = lines.find(quote);
      if (found.isPresent()) {
        kept.add(evidence(found.get(), quote.score(), modelCall));
      } else {
        Optional<QuoteMatcher.Found> near = lines.near(quote, LINES_NEAR);
        missed.add(
            new Checked.Missed(
                quote,
                near.map(QuoteMatcher.Found::place).orElse(""),
                near.map(QuoteMatcher.Found::text).orElse("")));
      }
    }
    return new Checked(kept, missed);
  }

  private Evidence evidence(QuoteMatcher.Found found, double score, String modelCall) {
    return new Evidence(
        found.file(),
        found.firstLine(),
        found.lastLine(),
        found.text(),
        score,
        found.page(),
        agent().id().persistenceId(),
        modelCall);
  }

  /**
   * What came of holding quotes against what was shown.
   *
   * @param kept those that stand there, as they stand there
   * @param missed the others
   */
  record Checked(List<Evidence> kept, List<Checked.Missed> missed) {

    Checked {
      kept = List.copyOf(kept);
      missed = List.copyOf(missed);
    }

    /** How many of the missed are not among what was quoted once more. */
    int lost(List<Evidence> again) {
      long mended = again.stream().filter(one -> kept.stream().noneMatch(one::overlaps)).count();
      return (int) Math.max(0, missed.size() - mended);
    }

    /**
     * A quote that stands nowhere.
     *
     * @param place what stands where it says, as in {@code src/Main.java:12-15}; empty if that was
     *     not shown
     * @param text of those lines
     */
    record Missed(Quote quote, String place, String text) {}
  }

  /**
   * Lines as a model quotes them, not yet held against what it was shown.
   *
   * @param firstLine of the span that it means, as the model counted
   * @param lastLine of it
   * @param text of the lines that tell the answer, within the span
   * @param score how well they answer, larger is better
   */
  record Quote(String file, int firstLine, int lastLine, String text, double score) {

    Quote {
      file = file == null ? "" : file;
      text = text == null ? "" : text;
    }
  }
}
