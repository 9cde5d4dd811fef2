package dev.colony.core.dispatch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Takes bytes up to a limit, so that what is too large is never there as a whole. */
final class BoundedText extends OutputStream {

  /** More came than may. */
  static final class TooLong extends IOException {

    private static final long serialVersionUID = 1L;

    TooLong(int maxBytes) {
      super("the output is larger than " + maxBytes + " bytes");
    }
  }

  private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
  private final int maxBytes;

  BoundedText(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Override
  public void write(int b) throws IOException {
    room(1);
    taken.write(b);
  }

  @Override
  public void write(byte[] bytes, int from, int length) throws IOException {
    room(length);
    taken.write(bytes, from, length);
  }

  private void room(int length) throws TooLong {
    if (length > maxBytes - taken.size()) {
      throw new TooLong(maxBytes);
    }
  }

  byte[] bytes() {
    return taken.toByteArray();
  }
}
