package dev.colony.vcm.graph;

/**
 * How likely a page answers a question, by what index and graph say of it: logistic regression,
 * learned one page at a time with steps that shrink as a feature was seen (AdaGrad; Duchi, Hazan
 * and Singer, 2011). Pure but for its weights; not thread-safe.
 */
final class AnswerModel {

  private static final double RATE = 0.3;

  private final double[] weights;
  private final double[] squares;

  /**
   * @param weights to begin with, one per feature
   */
  AnswerModel(double... weights) {
    this.weights = weights.clone();
    this.squares = new double[weights.length];
  }

  /** Above 0, below 1. */
  double likelihood(double[] features) {
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += weights[i] * features[i];
    }
    return 1 / (1 + Math.exp(-Math.max(-40, Math.min(40, sum))));
  }

  /** Learns whether a page of these features answered. */
  void learn(double[] features, boolean answer) {
    double error = likelihood(features) - (answer ? 1 : 0);
    for (int i = 0; i < weights.length; i++) {
      double gradient = error * features[i];
      if (gradient != 0) {
        squares[i] += gradient * gradient;
        weights[i] -= RATE * gradient / Math.sqrt(squares[i]);
      }
    }
  }
}
