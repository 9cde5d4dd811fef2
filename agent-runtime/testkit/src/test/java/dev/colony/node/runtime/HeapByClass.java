package dev.colony.node.runtime;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;

/** What is alive on the heap of this process, and how much of it there is of each class. */
record HeapByClass(long bytes, Map<String, Size> classes) {

  record Size(long instances, long bytes) {
    private static final Size NONE = new Size(0, 0);
  }

  /** Collects the garbage and counts what is left. */
  static HeapByClass alive() {
    // References are cleared by one collection, and what only they held by the next.
    System.gc();
    System.gc();
    try {
      // Counts what is reachable, after another collection.
      String histogram =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "gcClassHistogram",
                      new Object[] {new String[0]},
                      new String[] {String[].class.getName()});
      return of(histogram);
    } catch (JMException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private static HeapByClass of(String histogram) {
    Map<String, Size> classes = new HashMap<>();
    long bytes = 0;
    for (String line : histogram.lines().toList()) {
      String[] words = line.trim().split("\\s+");
      if (words.length >= 4 && words[0].endsWith(":")) {
        Size size = new Size(Long.parseLong(words[1]), Long.parseLong(words[2]));
        classes.merge(
            words[3],
            size,
            (a, b) -> new Size(a.instances() + b.instances(), a.bytes() + b.bytes()));
        bytes += size.bytes();
      }
    }
    return new HeapByClass(bytes, classes);
  }

  /** What has grown most since another count, for each of a number of agents. */
  List<String> grownSince(HeapByClass before, int agents, int most) {
    return classes.entrySet().stream()
        .map(now -> {
          Size then = before.classes.getOrDefault(now.getKey(), Size.NONE);
          return Map.entry(
              now.getKey(),
              new Size(
                  now.getValue().instances() - then.instances(),
                  now.getValue().bytes() - then.bytes()));
        })
        .sorted(
            Comparator.comparingLong((Map.Entry<String, Size> one) -> one.getValue().bytes())
                .reversed())
        .limit(most)
        .map(one ->
            "%8.1f bytes in %6.2f objects of %s"
                .formatted(
                    (double) one.getValue().bytes() / agents,
                    (double) one.getValue().instances() / agents,
                    one.getKey()))
        .toList();
  }
}
