package dev.colony.inference.lexical;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.WordDelimiterGraphFilter;
import org.apache.lucene.analysis.standard.StandardTokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/**
 * Splits text into stems. An identifier yields itself and its parts, cut at case changes, digits
 * and punctuation. Thread-safe.
 */
final class Words {

  private static final int SPLIT =
      WordDelimiterGraphFilter.GENERATE_WORD_PARTS
          | WordDelimiterGraphFilter.GENERATE_NUMBER_PARTS
          | WordDelimiterGraphFilter.SPLIT_ON_CASE_CHANGE
          | WordDelimiterGraphFilter.SPLIT_ON_NUMERICS
          | WordDelimiterGraphFilter.PRESERVE_ORIGINAL
          | WordDelimiterGraphFilter.STEM_ENGLISH_POSSESSIVE;

  private static final Analyzer STEMS = analyzer(true);
  private static final Analyzer PLAIN = analyzer(false);

  private Words() {}

  /** Porter stems, in the order of the text, repetitions kept. */
  static List<String> stems(String text) {
    return terms(STEMS, text);
  }

  /** The same words in lower case but not stemmed; the two lists run in parallel. */
  static List<String> plain(String text) {
    return terms(PLAIN, text);
  }

  private static List<String> terms(Analyzer analyzer, String text) {
    List<String> terms = new ArrayList<>();
    try (TokenStream stream = analyzer.tokenStream("", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        terms.add(term.toString());
      }
      stream.end();
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
    return terms;
  }

  private static Analyzer analyzer(boolean stemmed) {
    return new Analyzer() {
      @Override
      protected TokenStreamComponents createComponents(String field) {
        Tokenizer source = new StandardTokenizer();
        TokenStream words = new LowerCaseFilter(new WordDelimiterGraphFilter(source, SPLIT, null));
        return new TokenStreamComponents(source, stemmed ? new PorterStemFilter(words) : words);
      }
    };
  }
}
