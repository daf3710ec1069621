// Writes the files beside this one with Hadoop's own classes:
//   CP=$(echo ~/.cache/xlearning/minihadoop/3.5.0/lib/*.jar | tr ' ' :)
//   javac -cp "$CP" -d /tmp/samples WriteSamples.java && java -cp "$CP:/tmp/samples" WriteSamples .
// NAME.txt is what keys and values of NAME.seq are by toString(), a record a line; those with a codec in
// their name hold the same as none.seq. Lz4 needs lz4-java on the class path; it is left out without it.

import java.io.BufferedWriter;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.*;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.ReflectionUtils;

public class WriteSamples {
  static final String CODECS = "org.apache.hadoop.io.compress.";
  static Configuration conf = new Configuration();
  static File folder;

  static void write(String name, CompressionType type, String codec, List<Writable[]> records) throws Exception {
    File file = new File(folder, name + ".seq");
    List<SequenceFile.Writer.Option> options = new ArrayList<>();
    options.add(SequenceFile.Writer.file(new Path(file.getAbsolutePath())));
    options.add(SequenceFile.Writer.keyClass(records.get(0)[0].getClass()));
    options.add(SequenceFile.Writer.valueClass(records.get(0)[1].getClass()));
    options.add(SequenceFile.Writer.syncInterval(200));
    SequenceFile.Metadata about = new SequenceFile.Metadata();
    about.set(new Text("made by"), new Text("WriteSamples"));
    options.add(SequenceFile.Writer.metadata(about));
    CompressionCodec made = codec == null ? null
        : (CompressionCodec) ReflectionUtils.newInstance(Class.forName(CODECS + codec), conf);
    options.add(made == null ? SequenceFile.Writer.compression(type) : SequenceFile.Writer.compression(type, made));
    File texts = new File(folder, (codec == null ? name : "none") + ".txt");
    try (SequenceFile.Writer writer = SequenceFile.createWriter(conf, options.toArray(new SequenceFile.Writer.Option[0]));
        BufferedWriter text = Files.newBufferedWriter(texts.toPath(), StandardCharsets.UTF_8)) {
      for (Writable[] record : records) {
        writer.append(record[0], record[1]);
        text.write(record[0] + "\t" + record[1] + "\n");
      }
    }
    new File(folder, "." + name + ".seq.crc").delete();
  }

  static List<Writable[]> rows() {
    List<Writable[]> rows = new ArrayList<>();
    for (int n = 0; n < 90; n++) {
      rows.add(new Writable[] {new LongWritable(n - 3), new Text("row " + n + " é" + "x".repeat(n * 7 % 31))});
    }
    rows.add(new Writable[] {new LongWritable(1L << 40), new Text("y".repeat(700))});
    rows.add(new Writable[] {new LongWritable(-1L << 40), new Text("")});
    return rows;
  }

  static void one(String name, Writable key, Writable... values) throws Exception {
    List<Writable[]> records = new ArrayList<>();
    for (Writable value : values) {
      records.add(new Writable[] {key, value});
    }
    write(name, CompressionType.NONE, null, records);
  }

  static BytesWritable bytes(int... values) {
    byte[] all = new byte[values.length];
    for (int n = 0; n < values.length; n++) {
      all[n] = (byte) values[n];
    }
    return new BytesWritable(all);
  }

  public static void main(String[] args) throws Exception {
    folder = new File(args[0]).getAbsoluteFile();
    conf.setInt("io.seqfile.compress.blocksize", 600);
    conf.setInt("io.compression.codec.snappy.buffersize", 256);
    conf.setInt("io.compression.codec.lz4.buffersize", 256);
    write("none", CompressionType.NONE, null, rows());
    for (String codec : new String[] {"Default", "Gzip", "BZip2", "Snappy", "Lz4"}) {
      if (codec.equals("Lz4") && WriteSamples.class.getResource("/net/jpountz/lz4/LZ4Factory.class") == null) {
        continue;
      }
      write("record-" + codec.toLowerCase(), CompressionType.RECORD, codec + "Codec", rows());
      write("block-" + codec.toLowerCase(), CompressionType.BLOCK, codec + "Codec", rows());
    }
    one("int", new Text("k"), new IntWritable(0), new IntWritable(-1), new IntWritable(Integer.MIN_VALUE));
    one("vint", new VIntWritable(-129), new VIntWritable(127), new VIntWritable(128), new VIntWritable(-113),
        new VIntWritable(Integer.MAX_VALUE), new VIntWritable(Integer.MIN_VALUE));
    one("vlong", new VLongWritable(65536), new VLongWritable(-112), new VLongWritable(-257),
        new VLongWritable(Long.MAX_VALUE), new VLongWritable(Long.MIN_VALUE));
    one("short", new ShortWritable((short) -2), new ShortWritable(Short.MAX_VALUE));
    one("byte", new ByteWritable((byte) -128), new ByteWritable((byte) 7));
    one("boolean", new BooleanWritable(true), new BooleanWritable(false), new BooleanWritable(true));
    List<Writable> doubles = new ArrayList<>(), floats = new ArrayList<>();
    for (double n : new double[] {0, -0.0, 1, 1.5, 1e300, 1e-4, 1e-3, 9999999, 1e7, 12345678.9, 0.1, 123456789012345680.0,
        Math.PI, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 100, 2e-3}) {
      doubles.add(new DoubleWritable(n));
    }
    for (float n : new float[] {0f, -0f, 1f, 0.1f, 3.4e38f, 1.4e-45f, 16777216f, 1e7f, 9999999f, 1e-3f, 9e-4f, 3.1415927f,
        Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MAX_VALUE, 1e10f}) {
      floats.add(new FloatWritable(n));
    }
    one("double", new DoubleWritable(1e300), doubles.toArray(new Writable[0]));
    one("float", new FloatWritable(0.1f), floats.toArray(new Writable[0]));
    one("bytes", NullWritable.get(), bytes(0, 1, 255, 10), bytes(), bytes(65));
    one("md5", MD5Hash.digest("a"), NullWritable.get(), NullWritable.get());
    one("array", new Text("k"), new ArrayWritable(new String[] {"a"}));
  }
}
