package dev.colony.node.activation;

/** What agents' code may throw. */
final class Failures {

  private Failures() {}

  /**
   * Throws on what is not the fault of the code that threw it and nothing to go on from: an error
   * of the machine, such as the end of its memory. A stack that overflows is a fault of the code.
   */
  static void throwIfOfMachine(Throwable failure) {
    if (failure instanceof VirtualMachineError broken && !(failure instanceof StackOverflowError)) {
      throw broken;
    }
  }
}
