package dev.colony.examples.impact;

import dev.colony.blackboard.value.Text;
import dev.colony.examples.impact.Impact.Changed;
import dev.colony.examples.impact.Impact.Site;
import dev.colony.examples.impact.Impact.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** A report of an impact as text. */
final class ImpactText {

  private static final int LINE_CHARS = 110;

  private final Impact impact;

  ImpactText(Impact impact) {
    this.impact = impact;
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (impact.symbols().isEmpty()) {
      return List.of(
          "Nothing in the tree is defined by a name that the question has. Name a class or a"
              + " method.");
    }
    lines.add("Changes");
    for (Changed one : impact.symbols()) {
      lines.add("  %s %s  %s".formatted(one.kind(), one.symbol(), one.place()));
    }
    if (impact.judged()) {
      for (Verdict verdict : Verdict.values()) {
        add(heading(verdict), site -> site.verdict() == verdict, lines);
      }
    } else {
      add("Uses it", site -> site.distance() == 1 && !site.test(), lines);
      add("Uses what uses it", site -> site.distance() > 1 && !site.test(), lines);
      add("In tests", Site::test, lines);
    }
    if (!impact.tests().isEmpty()) {
      lines.add("Tests that reach it");
      impact.tests().forEach(test -> lines.add("  " + test));
    }
    if (!impact.summary().isBlank()) {
      lines.add("Summary");
      impact.summary().lines().forEach(line -> lines.add("  " + line));
    }
    notes(lines);
    return lines;
  }

  private static String heading(Verdict verdict) {
    return switch (verdict) {
      case MUST_CHANGE -> "Must change";
      case CHECK -> "To check";
      case UNSURE -> "Not known";
      case UNAFFECTED -> "Unaffected";
    };
  }

  private void add(String heading, Predicate<Site> which, List<String> lines) {
    List<Site> sites = impact.sites().stream().filter(which).toList();
    if (!sites.isEmpty()) {
      lines.add(heading + " (" + sites.size() + ")");
      sites.forEach(site -> add(site, lines));
    }
  }

  private static void add(Site site, List<String> lines) {
    lines.add(
        "  %s:%d%s%s  %s"
            .formatted(
                site.file(),
                site.line(),
                site.within().isEmpty() ? "" : " in " + site.within(),
                site.distance() == 1 ? "" : ", by " + site.uses(),
                Text.cut(site.text().strip(), LINE_CHARS)));
    if (!site.why().isBlank()) {
      lines.add("    " + site.why().strip().replaceAll("\\s+", " "));
    }
  }

  private void notes(List<String> lines) {
    if (impact.leftOut() > 0) {
      lines.add(impact.leftOut() + " more places depend on it and were not looked at");
    }
    if (!impact.notFollowed().isEmpty()) {
      lines.add(
          "Not followed, because many things have the name: "
              + String.join(", ", impact.notFollowed()));
    }
    if (!impact.judged()) {
      lines.add("No model has judged what becomes of these places");
    }
    if (impact.dropped() > 0) {
      lines.add(impact.dropped() + " judgements were of no place that was shown, and were dropped");
    }
    if (!impact.unread().isBlank()) {
      lines.add("Some places were not judged: " + impact.unread());
    }
  }
}
