package dev.colony.vcm.mapping;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLabel;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Ids that are functions of the content: the first 128 bits of its SHA-256, in base32. */
public final class ContentIds {

  private static final String DIGITS = "abcdefghijklmnopqrstuvwxyz234567";

  private ContentIds() {}

  static PageId page(PageLabel label, String text) {
    return new PageId(digest(label.canonical() + text));
  }

  /** Tells texts apart. */
  public static String text(String text) {
    return digest(text);
  }

  static PageGroupId group(List<PageId> pages, PageGroup.Kind kind) {
    return new PageGroupId(
        digest(
            switch (kind) {
              case ADVISORY -> join(pages);
              case MANDATORY -> "mandatory\n" + join(pages);
            }));
  }

  static String map(List<PageGroup> groups) {
    return digest(join(groups.stream().map(PageGroup::id).toList()));
  }

  private static String join(List<?> ids) {
    return ids.stream().map(Object::toString).collect(Collectors.joining("\n"));
  }

  private static String digest(String content) {
    byte[] hash;
    try {
      hash = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
    // 26 digits of five bits hold 130: two zero bits are put behind the 128.
    BigInteger bits = new BigInteger(1, Arrays.copyOf(hash, 16)).shiftLeft(2);
    char[] text = new char[26];
    for (int i = 0; i < text.length; i++) {
      text[i] = DIGITS.charAt(bits.shiftRight(5 * (25 - i)).intValue() & 31);
    }
    return new String(text);
  }
}
