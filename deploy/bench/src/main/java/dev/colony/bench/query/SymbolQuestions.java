package dev.colony.bench.query;

import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Questions that a source tree answers by itself: which other pages deal with a name that stands in
 * one. The name is given in its parts, as a person would say it, so that pages about similar things
 * look right as well.
 */
final class SymbolQuestions {

  private static final Pattern NAME = Pattern.compile("[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+");
  private static final Pattern PART = Pattern.compile("(?=[A-Z])");
  private static final int MOST_PAGES = 4;

  /**
   * A question.
   *
   * @param from the page in which the name was met
   * @param answers the other pages that have it
   */
  record Question(String text, PageId from, Set<PageId> answers) {}

  private SymbolQuestions() {}

  /**
   * Questions in two parts that have no name in common: some to learn from, some that are kept
   * apart.
   *
   * @param kept how many are kept apart at most; never more than a third
   */
  static List<List<Question>> of(List<VirtualContextPage> pages, int kept, long seed) {
    Map<String, Set<PageId>> holders = new TreeMap<>();
    for (VirtualContextPage page : pages) {
      Matcher names = NAME.matcher(page.text());
      while (names.find()) {
        holders.computeIfAbsent(names.group(), key -> new TreeSet<>()).add(page.id());
      }
    }
    holders.values().removeIf(some -> some.size() < 2 || some.size() > MOST_PAGES);
    List<String> names = new ArrayList<>(holders.keySet());
    Random random = new Random(seed);
    Collections.shuffle(names, random);
    int apart = Math.min(kept, names.size() / 3);
    return List.of(
        questions(names.subList(apart, names.size()), holders, random),
        questions(names.subList(0, apart), holders, random));
  }

  private static List<Question> questions(
      List<String> names, Map<String, Set<PageId>> holders, Random random) {
    List<Question> questions = new ArrayList<>();
    for (String name : names) {
      List<PageId> pages = List.copyOf(holders.get(name));
      PageId from = pages.get(random.nextInt(pages.size()));
      Set<PageId> answers = new HashSet<>(pages);
      answers.remove(from);
      String said =
          String.join(" ", new LinkedHashSet<>(List.of(PART.split(name)))).toLowerCase(Locale.ROOT);
      questions.add(new Question(said, from, answers));
    }
    return questions;
  }
}
