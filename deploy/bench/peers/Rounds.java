import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * What run-peers says to a peer, a line each on its standard input: {@code run ID AGENTS STEPS
 * BYTES} has agents take their steps and is answered with the seconds that it took, {@code count ID
 * AGENTS BYTES} with how many results of that size or more the store holds of those agents.
 */
final class Rounds {

  private static volatile String text = "";

  private Rounds() {}

  interface Run {
    void run(String id, int agents, int steps, int bytes) throws Exception;
  }

  interface Count {
    long count(String id, int agents, int bytes) throws Exception;
  }

  /** A model's reply of a size. */
  static String reply(int bytes) {
    String last = text;
    if (last.length() != bytes) {
      last = "x".repeat(bytes);
      text = last;
    }
    return last;
  }

  /** Answers until its input ends. */
  static void serve(Run run, Count count) throws Exception {
    System.out.println("ready");
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      int agents = Integer.parseInt(words[2]);
      int third = Integer.parseInt(words[3]);
      if (words[0].equals("run")) {
        long begun = System.nanoTime();
        run.run(words[1], agents, third, Integer.parseInt(words[4]));
        System.out.println((System.nanoTime() - begun) / 1e9);
      } else {
        System.out.println(count.count(words[1], agents, third));
        // outside of what is measured
        System.gc();
      }
    }
  }
}
