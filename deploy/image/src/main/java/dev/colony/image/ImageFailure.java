package dev.colony.image;

/** Why no image can be built, in one line that says what to do. */
final class ImageFailure extends RuntimeException {

  private static final int BAD_INPUT = 2;
  private static final int FAULT = 70;

  private final int status;

  private ImageFailure(int status, String message, Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  /** Something was given or is installed that cannot be used. */
  static ImageFailure badInput(String message) {
    return new ImageFailure(BAD_INPUT, message, null);
  }

  /** A step went wrong. */
  static ImageFailure fault(String message, Throwable cause) {
    return new ImageFailure(FAULT, message, cause);
  }

  static ImageFailure fault(String message) {
    return fault(message, null);
  }

  /** The exit status of the command line, as {@code docs/commands.md} lists them. */
  int status() {
    return status;
  }
}
