#include "plugins/elf_note.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <vector>

#include <capstan/plugin/layout.h>
#include <capstan/runtime/format.h>

#include "base/io/unique_fd.h"

namespace capstan::manager {
namespace {

constexpr uint64_t kMaxNoteBytes = 1 << 20;

#if defined(__x86_64__)
constexpr uint16_t kThisMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kThisMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kThisMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr uint16_t kThisMachine = EM_PPC64;
#elif defined(__s390x__)
constexpr uint16_t kThisMachine = EM_S390;
#endif
constexpr unsigned char kThisByteOrder =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

/// An open file of known size with positional reads.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

  Status CheckFile() {
    struct stat attributes {};
    if (!fd_.valid() || fstat(fd_.get(), &attributes) != 0) return LastError();
    if (!S_ISREG(attributes.st_mode)) return Status::InvalidArgument("is not a regular file");
    if ((attributes.st_mode & S_IWOTH) != 0) {
      return Status::InvalidArgument(
          "is world-writable, so it is not loaded; remove the permission (chmod o-w)");
    }
    size_ = static_cast<uint64_t>(attributes.st_size);
    return Status::Ok();
  }

  uint64_t size() const { return size_; }
  bool Contains(uint64_t offset, uint64_t length) const {
    return offset <= size_ && length <= size_ - offset;
  }

  Status Read(uint64_t offset, void* to, size_t length) const {
    size_t done = 0;
    while (done < length) {
      const ssize_t count = pread(fd_.get(), static_cast<char*>(to) + done, length - done,
                                  static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return LastError();
      if (count == 0) return Status::Malformed("ends too early");
      done += static_cast<size_t>(count);
    }
    return Status::Ok();
  }

 private:
  static Status LastError() {
    return Status::InvalidArgument(std::generic_category().message(errno));
  }

  io::UniqueFd fd_;
  uint64_t size_ = 0;
};

Status CheckHeader(const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return Status::Malformed("is not an ELF file");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64) {
    return Status::Malformed("is a 32-bit ELF file, this manager needs 64 bits");
  }
  if (header.e_ident[EI_DATA] != kThisByteOrder) {
    return Status::Malformed("has a different byte order than this machine");
  }
  if (header.e_machine != kThisMachine) {
    return Status::Malformed(Format("is built for another machine (ELF machine {}, this one is {})",
                                    header.e_machine, kThisMachine));
  }
  if (header.e_type != ET_DYN) {
    return Status::Malformed(Format("is not a shared object (ELF type {})", header.e_type));
  }
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return Status::Malformed("has no readable program headers");
  }
  return Status::Ok();
}

Status Torn(uint64_t wanted, uint64_t size) {
  return Status::Malformed(
      Format("is truncated: it should have at least {} bytes and has {}", wanted, size));
}

/// Returns the end of `length` bytes from `offset`, or UINT64_MAX on overflow.
uint64_t EndOf(uint64_t offset, uint64_t length) {
  return length > UINT64_MAX - offset ? UINT64_MAX : offset + length;
}

Result<std::vector<Elf64_Phdr>> ReadProgramHeaders(const ElfFile& file) {
  Elf64_Ehdr header{};
  // A file shorter than the magic is not an ELF file. A file with the magic but without a whole
  // header is truncated.
  const size_t have = std::min<uint64_t>(sizeof(header), file.size());
  if (Status status = file.Read(0, &header, have); !status.ok()) return status;
  if (have < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return Status::Malformed("is not an ELF file");
  }
  if (have > EI_CLASS && header.e_ident[EI_CLASS] != ELFCLASS64) return CheckHeader(header);
  if (have < sizeof(header)) return Torn(sizeof(header), file.size());
  if (Status status = CheckHeader(header); !status.ok()) return status;

  const uint64_t table_bytes = uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  if (!file.Contains(header.e_phoff, table_bytes)) {
    return Torn(EndOf(header.e_phoff, table_bytes), file.size());
  }
  // The section table is at the end of the file, so it reveals a truncation after all segments.
  const uint64_t sections = uint64_t{header.e_shnum} * header.e_shentsize;
  if (header.e_shoff != 0 && !file.Contains(header.e_shoff, sections)) {
    return Torn(EndOf(header.e_shoff, sections), file.size());
  }
  std::vector<Elf64_Phdr> table(header.e_phnum);
  if (Status status = file.Read(header.e_phoff, table.data(), table_bytes); !status.ok()) {
    return status;
  }
  for (const Elf64_Phdr& segment : table) {
    if (!file.Contains(segment.p_offset, segment.p_filesz)) {
      return Torn(EndOf(segment.p_offset, segment.p_filesz), file.size());
    }
  }
  return table;
}

size_t RoundUp(size_t value, size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Extracts the description from a Capstan note. The note of an older or newer version may have
/// another size, so magic and version are checked first.
Result<std::optional<PluginNoteDescription>> TakeDescription(const char* data, size_t size) {
  PluginNoteDescription description;
  constexpr size_t kPrefix = offsetof(PluginNoteDescription, toolchain);
  if (size < kPrefix || std::memcmp(data, kPluginNoteMagic, sizeof(kPluginNoteMagic)) != 0) {
    return Status::Malformed("has a plugin note that is damaged");
  }
  std::memcpy(static_cast<void*>(&description), data, kPrefix);
  if (description.contract_version != kPluginContractVersion) {
    return std::optional(description);
  }
  if (size != sizeof(description) || description.size != sizeof(description)) {
    return Status::Malformed(
        Format("has a plugin note of {} bytes, contract version {} requires {}", size,
               kPluginContractVersion, sizeof(description)));
  }
  std::memcpy(&description, data, sizeof(description));
  const auto terminated = [](const auto& text) { return text[sizeof(text) - 1] == '\0'; };
  bool sound = terminated(description.name) && terminated(description.version) &&
               terminated(description.concurrent_syncs_flag);
  for (const auto& alias : description.aliases) sound = sound && terminated(alias);
  for (const PluginNoteKind& kind : description.explains) {
    sound =
        sound && terminated(kind.kind) && terminated(kind.resource) && terminated(kind.short_name);
  }
  if (!sound) return Status::Malformed("has a plugin note that is damaged");
  return std::optional(description);
}

Result<std::optional<PluginNoteDescription>> FindNote(const std::vector<char>& notes,
                                                      size_t alignment) {
  size_t at = 0;
  while (notes.size() - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header{};
    std::memcpy(&header, notes.data() + at, sizeof(header));
    const size_t owner = at + sizeof(header);
    const size_t description = RoundUp(owner + header.n_namesz, alignment);
    const size_t end = description + header.n_descsz;
    if (end > notes.size()) return Status::Malformed("has a note that is damaged");
    if (header.n_type == kPluginNoteType && header.n_namesz == sizeof(kPluginNoteOwner) &&
        std::memcmp(notes.data() + owner, kPluginNoteOwner, sizeof(kPluginNoteOwner)) == 0) {
      return TakeDescription(notes.data() + description, header.n_descsz);
    }
    at = std::min(RoundUp(end, alignment), notes.size());
  }
  return std::optional<PluginNoteDescription>();
}

Result<std::optional<PluginNoteDescription>> ReadNote(const std::filesystem::path& path) {
  ElfFile file(path);
  if (Status status = file.CheckFile(); !status.ok()) return status;
  auto segments = ReadProgramHeaders(file);
  if (!segments) return segments.status();
  for (const Elf64_Phdr& segment : *segments) {
    if (segment.p_type != PT_NOTE) continue;
    if (segment.p_filesz > kMaxNoteBytes) return Status::Malformed("has notes that are too large");
    std::vector<char> notes(segment.p_filesz);
    if (Status status = file.Read(segment.p_offset, notes.data(), notes.size()); !status.ok()) {
      return status;
    }
    auto found = FindNote(notes, segment.p_align == 8 ? 8 : 4);
    if (!found || found->has_value()) return found;
  }
  return std::optional<PluginNoteDescription>();
}

constexpr std::string_view kWhatToDo =
    "; build the plugin with the headers and the compiler of this manager, or remove it from the "
    "plugin directory";

}  // namespace

Result<std::optional<PluginNoteDescription>> ReadPluginNote(const std::filesystem::path& file) {
  auto note = ReadNote(file);
  if (!note) return note.status().WithContext("plugin " + file.string());
  return note;
}

std::string ToText(const ToolchainFingerprint& toolchain) {
  constexpr const char* kSanitizers[] = {"no sanitizer", "AddressSanitizer", "ThreadSanitizer",
                                         "MemorySanitizer"};
  return Format("g++ ABI {}, {} ({} ABI{}), {} bit, {}", toolchain.compiler_abi,
                toolchain.libstdcxx == 0 ? "no libstdc++"
                                         : "libstdc++ " + std::to_string(toolchain.libstdcxx),
                toolchain.cxx11_abi != 0 ? "C++11" : "old",
                toolchain.debug_containers != 0 ? ", debug containers" : "", toolchain.pointer_bits,
                toolchain.sanitizer < 4 ? kSanitizers[toolchain.sanitizer] : "another sanitizer");
}

Status CheckPluginNote(const PluginNoteDescription& note) {
  if (note.contract_version != kPluginContractVersion) {
    return Status::InvalidArgument(
        Format("is built for plugin contract version {}, this manager has version {}",
               note.contract_version, kPluginContractVersion) +
        std::string(kWhatToDo));
  }
  constexpr ToolchainFingerprint kOurs = internal::CurrentToolchain();
  if (!(note.toolchain == kOurs)) {
    return Status::InvalidArgument(Format("is built with another toolchain: {}; this manager: {}",
                                          ToText(note.toolchain), ToText(kOurs)) +
                                   std::string(kWhatToDo));
  }
  const uint64_t layout = uint64_t{note.layout[0]} << 32 | note.layout[1];
  if (layout != kLayoutFingerprint) {
    return Status::InvalidArgument(
        Format("is built with other SDK headers: layout fingerprint {}, this manager has {}",
               layout, kLayoutFingerprint) +
        std::string(kWhatToDo));
  }
  return Status::Ok();
}

}  // namespace capstan::manager
